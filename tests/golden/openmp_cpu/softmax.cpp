#include "tp.h"
#include "loops.h"

// amax.default, sub.Tensor, exp.default, sum.dim_IntList, div.Tensor
KERNEL kernel_0(void** p, const int64_t* n) {
  const float* a0 = (const float*)p[0];
  float* o0 = (float*)p[1];
  #pragma omp parallel if (524288 >= 16384)
  {
    alignas(64) float keep0[1024];
  #pragma omp for schedule(static)
    for (int64_t u = 0; u < 512; ++u) {
      const int64_t i0 = u;
      f32 r0[4] = {f32(float(-__builtin_inf())), f32(float(-__builtin_inf())), f32(float(-__builtin_inf())), f32(float(-__builtin_inf()))};
      tp::over<4>(0, 1024, [&](int64_t i1, auto m, auto k) {
        const f32 t1 = tp::load(a0 + 1024 * i0 + i1, m);
        r0[k.value] = tp::take(m, tp::maximum(r0[k.value], t1), r0[k.value]);
      });
      const f32 t0(tp::reduce_max(tp::maximum(tp::maximum(r0[0], r0[1]), tp::maximum(r0[2], r0[3]))));
      f32 r2_block[1] = {f32(0.0f)};
      f64 r2[1] = {f64(double(0.0))};
      for (int64_t block = 0; block < 1024; block += 256) {
        tp::over<1>(block, tp::smaller(block + 256, 1024), [&](int64_t i1, auto m, auto k) {
          const f32 t1 = tp::load(a0 + 1024 * i0 + i1, m);
          const f32 t3 = t1 - t0;
          const f32 t4 = tp::exp(t3);
          tp::store(keep0 + i1, t4, m);
          r2_block[0] = tp::take(m, r2_block[0] + t4, r2_block[0]);
        });
        tp::fold(r2[0], r2_block);
      }
      const f64 t2_wide(tp::reduce_sum(r2[0]));
      const f32 t2 = tp::cast<float>(t2_wide);
      tp::over<1>(0, 1024, [&](int64_t i1, auto m, auto k) {
        const f32 t4 = tp::load(keep0 + i1, m);
        const f32 t5 = t4 / t2;
        tp::store(o0 + 1024 * i0 + i1, t5, m);
      });
    }
  }
}
