#include "tp.h"
#include "loops.h"

// clone.default
KERNEL kernel_0(void** p, const int64_t* n) {
  const float* a0 = (const float*)p[0];
  float* o0 = (float*)p[1];
  {
    for (int64_t u = 0; u < 128; ++u) {
      const int64_t i2 = u % 16;
      const int64_t i1 = (u / 16) % 4;
      const int64_t i0 = u / 64;
      tp::over<1>(0, 8, [&](int64_t i3, auto m, auto k) {
        const f32 t0 = tp::load(a0 + 512 * i0 + 8 * i1 + 32 * i2 + i3, m);
        tp::store(o0 + 512 * i0 + 128 * i1 + 8 * i2 + i3, t0, m);
      });
    }
  }
}
