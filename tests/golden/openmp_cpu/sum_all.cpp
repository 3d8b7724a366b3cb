#include "tp.h"
#include "loops.h"

// sum.default, amax.default
KERNEL kernel_0(void** p, const int64_t* n) {
  const float* a0 = (const float*)p[0];
  float* o0 = (float*)p[1];
  float* o1 = (float*)p[2];
  const int64_t chunks = tp::chunks(1000000, 1000000 / 1);
  const tp::scratch<double> part0(1 * chunks);
  const tp::scratch<float> part1(1 * chunks);
  #pragma omp parallel if (1000000 >= 16384)
  {
  #pragma omp for schedule(static)
    for (int64_t u = 0; u < 1 * chunks; ++u) {
      const int64_t chunk = u % chunks, row = u / chunks;
      const int64_t begin = 1000000 * chunk / chunks, end = 1000000 * (chunk + 1) / chunks;
      f32 r0_block[4] = {f32(0.0f), f32(0.0f), f32(0.0f), f32(0.0f)};
      f64 r0[1] = {f64(double(0.0))};
      f32 r1[4] = {f32(float(-__builtin_inf())), f32(float(-__builtin_inf())), f32(float(-__builtin_inf())), f32(float(-__builtin_inf()))};
      for (int64_t block = begin; block < end; block += 1024) {
        tp::over<4>(block, tp::smaller(block + 1024, end), [&](int64_t i1, auto m, auto k) {
          const f32 t2 = tp::load(a0 + i1, m);
          r0_block[k.value] = tp::take(m, r0_block[k.value] + t2, r0_block[k.value]);
          r1[k.value] = tp::take(m, tp::maximum(r1[k.value], t2), r1[k.value]);
        });
        tp::fold(r0[0], r0_block);
      }
      const f64 t0_wide(tp::reduce_sum(r0[0]));
      const f32 t0 = tp::cast<float>(t0_wide);
      const f32 t1(tp::reduce_max(tp::maximum(tp::maximum(r1[0], r1[1]), tp::maximum(r1[2], r1[3]))));
      part0[u] = tp::first(t0_wide);
      part1[u] = tp::first(t1);
    }
  }
  for (int64_t u = 0; u < 1; ++u) {
    f64 r0[1] = {f64(double(0.0))};
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      r0[0] = tp::take(tp::whole{}, r0[0] + tp::spread(part0 + u * chunks + chunk), r0[0]);
    }
    const f32 t0 = tp::cast<float>(r0[0]);
    f32 r1[1] = {f32(float(-__builtin_inf()))};
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      r1[0] = tp::take(tp::whole{}, tp::maximum(r1[0], tp::spread(part1 + u * chunks + chunk)), r1[0]);
    }
    tp::store_one(o0 + 0, tp::first(t0));
    tp::store_one(o1 + 0, tp::first(r1[0]));
  }
}
