#include "tp.h"
#include "loops.h"

// add.Tensor
KERNEL kernel_0(void** p, const int64_t* n) {
  const float* a0 = (const float*)p[0];
  const float* a1 = (const float*)p[1];
  float* o0 = (float*)p[2];
  {
    for (int64_t u = 0; u < 1 * tp::blocks(100, 16); ++u) {
      const int64_t first = u % tp::blocks(100, 16) * 16;
      const int64_t last = tp::smaller(first + 16, 100);
      tp::over<1>(0, 70, [&](int64_t i0, auto m, auto) {
        for (int64_t i1 = first; i1 < last; ++i1) {
          const f32 t0 = tp::load(a0 + i0 + 70 * i1, m);
          const f32 t1 = tp::gather(a1, (i64(i1) + i64(100) * tp::iota<int64_t>(i0)), m);
          const f32 t2 = t0 + t1;
          tp::store(o0 + i0 + 70 * i1, t2, m);
        }
      });
    }
  }
}
