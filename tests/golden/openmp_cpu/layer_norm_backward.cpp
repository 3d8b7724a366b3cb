#include "tp.h"
#include "loops.h"

// sub.Tensor, mul.Tensor, mean.dim, sum.dim_IntList
KERNEL kernel_0(void** p, const int64_t* n) {
  const float* a0 = (const float*)p[0];
  const float* a1 = (const float*)p[1];
  const float* a2 = (const float*)p[2];
  const float* a3 = (const float*)p[3];
  const float* a4 = (const float*)p[4];
  float* o0 = (float*)p[5];
  float* o1 = (float*)p[6];
  float* o2 = (float*)p[7];
  const int64_t chunks = tp::chunks(512 / 32, 393216);
  const tp::scratch<double> part0(chunks * 768);
  const tp::scratch<double> part1(chunks * 768);
  const tp::scratch<float> sum0_blocks(chunks * 768);
  const tp::scratch<float> sum1_blocks(chunks * 768);
  #pragma omp parallel if (393216 >= 16384)
  {
  #pragma omp for schedule(static)
    for (int64_t u = 0; u < chunks; ++u) {
      double* const sum0 = part0 + u * 768;
      for (int64_t c = 0; c < 768; ++c) sum0[c] = double(0.0);
      double* const sum1 = part1 + u * 768;
      for (int64_t c = 0; c < 768; ++c) sum1[c] = double(0.0);
      float* const sum0_block = sum0_blocks + u * 768;
      for (int64_t c = 0; c < 768; ++c) sum0_block[c] = 0;
      float* const sum1_block = sum1_blocks + u * 768;
      for (int64_t c = 0; c < 768; ++c) sum1_block[c] = 0;
      int64_t rows = 0;
      for (int64_t row = 512 * u / chunks; row < 512 * (u + 1) / chunks; ++row) {
        const int64_t i0 = row;
        f32 r0_block[1] = {f32(0.0f)};
        f64 r0[1] = {f64(double(0.0))};
        f32 r1_block[1] = {f32(0.0f)};
        f64 r1[1] = {f64(double(0.0))};
        const f32 t6 = tp::spread(a4 + i0);
        const f32 t8 = tp::spread(a0 + i0);
        for (int64_t block = 0; block < 768; block += 256) {
          tp::over<1>(block, tp::smaller(block + 256, 768), [&](int64_t i1, auto m, auto k) {
            const f32 t2 = tp::load(a1 + 768 * i0 + i1, m);
            const f32 t3 = tp::load(a2 + i1, m);
            const f32 t4 = t2 * t3;
            r0_block[0] = tp::take(m, r0_block[0] + t4, r0_block[0]);
            const f32 t5 = tp::load(a3 + 768 * i0 + i1, m);
            const f32 t7 = t5 - t6;
            const f32 t9 = t7 * t8;
            const f32 t10 = t4 * t9;
            r1_block[0] = tp::take(m, r1_block[0] + t10, r1_block[0]);
            const f32 t11 = t2 * t9;
            tp::store(sum0_block + i1, tp::load(sum0_block + i1, m) + t11, m);
            tp::store(sum1_block + i1, tp::load(sum1_block + i1, m) + t2, m);
          });
          tp::fold(r0[0], r0_block);
          tp::fold(r1[0], r1_block);
        }
        const f64 t0_wide(tp::reduce_sum(r0[0]));
        const f32 t0 = tp::cast<float>(t0_wide);
        const f64 t1_wide(tp::reduce_sum(r1[0]));
        const f32 t1 = tp::cast<float>(t1_wide);
        const f32 t12 = t0 / f32(768.0f);
        const f32 t14 = t1 / f32(768.0f);
        tp::over<1>(0, 768, [&](int64_t i1, auto m, auto k) {
          const f32 t2 = tp::load(a1 + 768 * i0 + i1, m);
          const f32 t3 = tp::load(a2 + i1, m);
          const f32 t4 = t2 * t3;
          const f32 t13 = t4 - t12;
          const f32 t5 = tp::load(a3 + 768 * i0 + i1, m);
          const f32 t7 = t5 - t6;
          const f32 t9 = t7 * t8;
          const f32 t15 = t9 * t14;
          const f32 t16 = t13 - t15;
          const f32 t17 = t8 * t16;
          tp::store(o0 + 768 * i0 + i1, t17, m);
        });
        if (++rows % 8 == 0) { tp::fold(sum0, sum0_block, 768); tp::fold(sum1, sum1_block, 768); }
      }
      tp::fold(sum0, sum0_block, 768);
      tp::fold(sum1, sum1_block, 768);
    }
  }
  tp::over<1>(0, 768, [&](int64_t i1, auto m, auto k) {
    f64 r18[1] = {f64(double(0.0))};
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      r18[0] = tp::take(m, r18[0] + tp::load(part0 + chunk * 768 + i1, m), r18[0]);
    }
    const f32 t18 = tp::cast<float>(r18[0]);
    f64 r19[1] = {f64(double(0.0))};
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      r19[0] = tp::take(m, r19[0] + tp::load(part1 + chunk * 768 + i1, m), r19[0]);
    }
    const f32 t19 = tp::cast<float>(r19[0]);
    tp::store(o1 + i1, t18, m);
    tp::store(o2 + i1, t19, m);
  });
}
