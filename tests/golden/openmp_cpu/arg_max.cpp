#include "tp.h"
#include "loops.h"

// argmax.default
KERNEL kernel_0(void** p, const int64_t* n) {
  const float* a0 = (const float*)p[0];
  int64_t* o0 = (int64_t*)p[1];
  {
    for (int64_t u = 0; u < 8; ++u) {
      const int64_t i0 = u;
      f32 r0_value[1] = {f32(float(-__builtin_inf()))};
      i64 r0[1] = {i64(INT64_MAX)};
      tp::over<1>(0, 100, [&](int64_t i1, auto m, auto k) {
        const f32 t1 = tp::load(a0 + 100 * i0 + i1, m);
        const i64 t2 = tp::iota<int64_t>(i1);
        {
          const auto x = t1; const i64 x_at = t2;
          const auto y = r0_value[0]; const i64 y_at = r0[0];
          const b1 won = tp::better<true>(x, x_at, y, y_at) & tp::on(m);
          r0_value[0] = tp::where(won, x, y);
          r0[0] = tp::where(won, x_at, y_at);
        }
      });
      const int t0_lane = tp::best_lane<true>(r0_value[0], r0[0]);
      const f32 t0_value(r0_value[0][t0_lane]);
      const i64 t0(r0[0][t0_lane]);
      tp::store_one(o0 + i0, tp::first(t0));
    }
  }
}
