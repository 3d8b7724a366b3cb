#include "tp.h"
#include "loops.h"

// sum.dim_IntList
KERNEL kernel_0(void** p, const int64_t* n) {
  const float* a0 = (const float*)p[0];
  float* o0 = (float*)p[1];
  const int64_t tiles = tp::blocks(300, 512);
  const int64_t chunks = tp::chunks(5000, 1500000);
  const tp::scratch<double> part0(chunks * 1 * 300);
  #pragma omp parallel if (1500000 >= 16384)
  {
  #pragma omp for schedule(static)
    for (int64_t u = 0; u < 1 * tiles * chunks; ++u) {
      const int64_t chunk = u / (tiles * 1), unit = u % (tiles * 1);
      const int64_t first = 5000 * chunk / chunks, last = 5000 * (chunk + 1) / chunks;
      const int64_t begin = unit % tiles * 512;
      const int64_t end = tp::smaller(begin + 512, 300);
      double sum0[512];
      for (double& x : sum0) x = double(0.0);
      float sum0_block[512] = {};
      int64_t rows0 = 0;
      for (int64_t i0 = first; i0 < last; ++i0) {
        tp::over<1>(begin, end, [&](int64_t i1, auto m, auto k) {
          const f32 t0 = tp::load(a0 + 300 * i0 + i1, m);
          tp::store(sum0_block + (i1 - begin), tp::load(sum0_block + (i1 - begin), m) + t0, m);
        });
        if (++rows0 % 8 == 0) { tp::fold(sum0, sum0_block, end - begin); }
      }
      tp::fold(sum0, sum0_block, end - begin);
      __builtin_memcpy(part0 + (chunk * 1 + unit / tiles) * 300 + begin, sum0, (end - begin) * sizeof(double));
    }
  }
  #pragma omp parallel if (1 * 300 * chunks >= 16384)
  {
  #pragma omp for schedule(static)
    for (int64_t u = 0; u < 1 * tiles; ++u) {
      const int64_t unit = u;
      const int64_t begin = unit % tiles * 512;
      const int64_t end = tp::smaller(begin + 512, 300);
      double sum0[512];
      for (double& x : sum0) x = double(0.0);
      for (int64_t chunk = 0; chunk < chunks; ++chunk) {
        tp::over<1>(begin, end, [&](int64_t i1, auto m, auto) {
          tp::store(sum0 + (i1 - begin), tp::load(sum0 + (i1 - begin), m) + tp::load(part0 + (chunk * 1 + unit / tiles) * 300 + i1, m), m);
        });
      }
      tp::over<1>(begin, end, [&](int64_t i1, auto m, auto) {
        const f32 t1 = tp::cast<float>(tp::load(sum0 + (i1 - begin), m));
        tp::store(o0 + i1, t1, m);
      });
    }
  }
}
