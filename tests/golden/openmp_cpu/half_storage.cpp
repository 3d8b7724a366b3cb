#include "tp.h"
#include "loops.h"

// mul.Tensor, exp.default
KERNEL kernel_0(void** p, const int64_t* n) {
  const tp::bf16* a0 = (const tp::bf16*)p[0];
  const tp::bf16* a1 = (const tp::bf16*)p[1];
  tp::bf16* o0 = (tp::bf16*)p[2];
  {
    for (int64_t u = 0; u < 1; ++u) {
      tp::over<1>(0, 33, [&](int64_t i0, auto m, auto k) {
        const f32 t0 = tp::load(a0 + i0, m);
        const f32 t1 = tp::load(a1 + i0, m);
        const f32 t2 = t0 * t1;
        const f32 t3 = tp::exp(t2);
        tp::store(o0 + i0, t3, m);
      });
    }
  }
}
