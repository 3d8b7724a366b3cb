/* Generated from opset 1.0 (e3a06092dc5cdb84); do not edit.
 *
 * Shape rules and constraints of 830 operators:
 *
 *     torchport::shape::Arguments call;
 *     call.values["self"] = Value::sizes(sizes, rank);
 *     call.dtypes["self"] = "float32";
 *     std::vector<Value> outputs = torchport::shape::infer("aten.exp.default", call);
 *
 * An output is its list of sizes, none where it is absent, or a list of such lists for a list of tensors. A
 * size known only at run time is a data-dependent value with its upper bound.
 */
#ifndef TORCHPORT_SHAPE_RULES_H
#define TORCHPORT_SHAPE_RULES_H

#include <string_view>
#include <unordered_map>

#include "torchport/shape_value.h"

namespace torchport::shape {

inline constexpr const char* opset_version = "1.0";

namespace rules {

Value functions_absent();
Value functions_arange(Value v_start, Value v_end, Value v_step);
Value functions_at(Value v_values, Value v_i);
Value functions_bound(Value v_index, Value v_n);
Value functions_broadcast_each(Value v_lists);
Value functions_cat(Value v_shapes, Value v_dim);
Value functions_ceil_div(Value v_a, Value v_b);
Value functions_conv(Value v_x, Value v_weight, Value v_stride, Value v_padding, Value v_dilation, Value v_transposed, Value v_extra, Value v_groups);
Value functions_conv_out(Value v_n, Value v_kernel, Value v_stride, Value v_padding, Value v_dilation);
Value functions_conv_transpose_out(Value v_n, Value v_kernel, Value v_stride, Value v_padding, Value v_dilation, Value v_extra);
Value functions_data_dependent(Value v_upper = Value());
Value functions_diagonal(Value v_x, Value v_offset, Value v_a, Value v_b);
Value functions_drop(Value v_x, Value v_dim);
Value functions_expand(Value v_x, Value v_target);
Value functions_fill(Value v_n, Value v_value);
Value functions_insert(Value v_x, Value v_dim, Value v_value);
Value functions_listed(Value v_dims, Value v_n);
Value functions_mm_each(Value v_a, Value v_b);
Value functions_numel(Value v_x);
Value functions_pad(Value v_x, Value v_pads);
Value functions_permute(Value v_x, Value v_dims);
Value functions_pool(Value v_x, Value v_kernel, Value v_stride, Value v_padding, Value v_dilation, Value v_ceil_mode, Value v_spatial);
Value functions_pool_out(Value v_n, Value v_kernel, Value v_stride, Value v_padding, Value v_dilation, Value v_ceil_mode);
Value functions_range(Value v_start, Value v_end, Value v_step);
Value functions_rank(Value v_x);
Value functions_reduce(Value v_x, Value v_dims, Value v_keepdim);
Value functions_repeat(Value v_x, Value v_counts);
Value functions_replace(Value v_x, Value v_dim, Value v_value);
Value functions_reverse(Value v_x);
Value functions_shape(Value v_x);
Value functions_size(Value v_x, Value v_dim);
Value functions_size_each(Value v_shapes, Value v_dim);
Value functions_sizes(Value v_x, Value v_dims);
Value functions_slice(Value v_x, Value v_dim, Value v_start, Value v_end, Value v_step);
Value functions_split(Value v_x, Value v_step, Value v_dim);
Value functions_split_sizes(Value v_x, Value v_lengths, Value v_dim);
Value functions_squeeze(Value v_x, Value v_dims = Value());
Value functions_stack(Value v_shapes, Value v_dim);
Value functions_transpose(Value v_x, Value v_a, Value v_b);
Value functions_unbind(Value v_x, Value v_dim);
Value functions_unfold(Value v_x, Value v_dim, Value v_window, Value v_step);
Value functions_view(Value v_x, Value v_target);
Value indexing_below_diagonal(Value v_rows, Value v_columns, Value v_offset);
Value indexing_broadcast(Value v_shapes);
Value indexing_chunk_cat(Value v_shapes, Value v_dim, Value v_chunks);
Value indexing_diag_embed(Value v_x, Value v_offset, Value v_a, Value v_b);
Value indexing_index(Value v_x, Value v_indices, Value v_dtypes);
Value indexing_indexes(Value v_x, Value v_indices, Value v_dtypes);
Value indexing_join(Value v_a, Value v_b);
Value indexing_spread(Value v_indices, Value v_dtypes);
Value matrices_block_diagonal(Value v_shapes);
Value matrices_is_square(Value v_x);
Value matrices_is_vector_beside(Value v_b, Value v_a);
Value matrices_shorter_side(Value v_x);
Value matrices_with_ones(Value v_x, Value v_positions);
Value predicates_all_int(Value v_x);
Value predicates_covers(Value v_a, Value v_b);
Value predicates_distinct(Value v_dims, Value v_n);
Value predicates_expandable(Value v_x, Value v_target);
Value predicates_fits_storage(Value v_sizes, Value v_strides, Value v_offset, Value v_n);
Value predicates_floating(Value v_dtype);
Value predicates_given(Value v_x);
Value predicates_in_range(Value v_dim, Value v_n);
Value predicates_integral(Value v_dtype);
Value predicates_nonempty_each(Value v_shapes);
Value predicates_same_except(Value v_a, Value v_b, Value v_dim);
Value predicates_whole(Value v_numbers);
Value predicates_within(Value v_a, Value v_b, Value v_dim);

// An output that is not there.
inline Value functions_absent() {
  return Value();
}

// The one size of ``arange(start, end, step)``; floats round the length up.
inline Value functions_arange([[maybe_unused]] Value v_start, [[maybe_unused]] Value v_end, [[maybe_unused]] Value v_step) {
  if (truth(any([&]() -> Value { std::vector<Value> out_; const Value seq0_ = Value::list({v_start, v_end, v_step}); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_v = item0_; out_.push_back(Value((v_v.kind() == Kind::real))); } return Value(out_); }()))) {
    return Value::list({to_integer((-floordiv((v_start - v_end), v_step)))});
  }
  if ((truth(Value(v_step.is_integer())) && truth(Value(v_start.is_integer())) && truth(Value(v_end.is_integer())) && truth((((v_end - v_start) * v_step) < Value(0LL))))) {
    throw Error("the bounds do not fit the sign of the step");
  }
  return Value::list({((truth(Value(v_step.is_integer())) && truth((v_step == Value(1LL)))) ? (v_end - v_start) : functions_ceil_div((v_end - v_start), v_step))});
}

inline Value functions_at([[maybe_unused]] Value v_values, [[maybe_unused]] Value v_i) {
  return (truth(Value(v_values.is_integer() || false)) ? v_values : at(v_values, (truth((length(v_values) > Value(1LL))) ? v_i : Value(0LL))));
}

// A slice bound in [0, n].
inline Value functions_bound([[maybe_unused]] Value v_index, [[maybe_unused]] Value v_n) {
  if ((truth(Value(v_index.is_integer())) && truth(Value(v_n.is_integer())))) {
    return fold_min(Value::list({fold_max(Value::list({(truth((v_index < Value(0LL))) ? (v_index + v_n) : v_index), Value(0LL)})), v_n}));
  }
  if ((truth(Value(v_index.is_integer())) && truth((v_index < Value(0LL))))) {
    return largest((v_index + v_n), Value(0LL));
  }
  return smallest(v_index, v_n);
}

// The common shape at each position of several lists of shapes; one shape alone goes with every
// position.
inline Value functions_broadcast_each([[maybe_unused]] Value v_lists) {
  [[maybe_unused]] Value v_alone, v_several;
  v_several = [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_lists; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_x = item0_; if (!(truth(v_x) && truth(Value(at(v_x, Value(0LL)).is_list())))) continue; out_.push_back(v_x); } return Value(out_); }();
  if ((!truth(v_several) || truth(any([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_several; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_x = item0_; out_.push_back((length(v_x) != length(at(v_several, Value(0LL))))); } return Value(out_); }())))) {
    throw Error("the lists have different lengths");
  }
  v_alone = [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_lists; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_x = item0_; if ((truth(v_x) && truth(Value(at(v_x, Value(0LL)).is_list())))) continue; out_.push_back(v_x); } return Value(out_); }();
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = zip(v_several.items()); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_shapes = item0_; out_.push_back(indexing_broadcast((v_shapes + v_alone))); } return Value(out_); }();
}

// Sizes of a concatenation; a one-dimensional empty tensor is skipped, as eager does.
inline Value functions_cat([[maybe_unused]] Value v_shapes, [[maybe_unused]] Value v_dim) {
  [[maybe_unused]] Value v_at, v_first, v_kept, v_s, v_total;
  v_kept = [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_shapes; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_s = item0_; if ((truth((length(v_s) == Value(1LL))) && truth(Value(at(v_s, Value(0LL)).is_integer())) && truth((at(v_s, Value(0LL)) == Value(0LL))))) continue; out_.push_back(v_s); } return Value(out_); }();
  if (!truth(v_kept)) {
    return at(v_shapes, Value(0LL));
  }
  v_first = at(v_kept, Value(0LL));
  v_at = wrap(v_dim, length(v_first));
  v_total = Value(0LL);
  {
    const Value all_ = v_kept;
    for (const Value& item_ : all_.items()) {
      v_s = item_;
      if (!truth(predicates_same_except(v_s, v_first, v_dim))) {
        throw Error("sizes differ outside of the concatenated dimension");
      }
      v_total = (v_total + at(v_s, v_at));
    }
  }
  return functions_replace(v_first, v_dim, v_total);
}

// ``a / b`` rounded up.
inline Value functions_ceil_div([[maybe_unused]] Value v_a, [[maybe_unused]] Value v_b) {
  return (-floordiv((-v_a), v_b));
}

// Sizes of ``convolution(x, weight, …)``: [batch, channels, *spatial]; the batch may be missing.
inline Value functions_conv([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_weight, [[maybe_unused]] Value v_stride, [[maybe_unused]] Value v_padding, [[maybe_unused]] Value v_dilation, [[maybe_unused]] Value v_transposed, [[maybe_unused]] Value v_extra, [[maybe_unused]] Value v_groups) {
  [[maybe_unused]] Value v_channels, v_d, v_i, v_k, v_lead, v_n, v_p, v_result, v_s, v_spatial;
  v_spatial = (length(v_weight) - Value(2LL));
  v_lead = slice(v_x, Value(), ((length(v_x) - v_spatial) - Value(1LL)));
  v_channels = (truth(v_transposed) ? (at(v_weight, Value(1LL)) * v_groups) : at(v_weight, Value(0LL)));
  v_result = Value::list({});
  {
    const Value all_ = range(Value(0LL), v_spatial);
    for (const Value& item_ : all_.items()) {
      v_i = item_;
      { const Value tmp0_ = at(v_x, ((length(v_x) - v_spatial) + v_i)); const Value tmp1_ = at(v_weight, (Value(2LL) + v_i)); v_n = tmp0_;
      v_k = tmp1_;
      }
      { const Value tmp0_ = functions_at(v_stride, v_i); const Value tmp1_ = functions_at(v_padding, v_i); const Value tmp2_ = functions_at(v_dilation, v_i); v_s = tmp0_;
      v_p = tmp1_;
      v_d = tmp2_;
      }
      v_result.items().push_back((truth(v_transposed) ? functions_conv_transpose_out(v_n, v_k, v_s, v_p, v_d, functions_at(v_extra, v_i)) : functions_conv_out(v_n, v_k, v_s, v_p, v_d)));
    }
  }
  if (truth(any([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_result; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_n = item0_; out_.push_back(Value(truth(Value(v_n.is_integer())) && truth((v_n < Value(0LL))))); } return Value(out_); }()))) {
    throw Error("the kernel is larger than the padded input");
  }
  return (v_lead + Value::list({v_channels}) + v_result);
}

// Size of one dimension after a convolution: ``(n + 2·padding - dilation·(kernel - 1) - 1) // stride +
// 1``.
inline Value functions_conv_out([[maybe_unused]] Value v_n, [[maybe_unused]] Value v_kernel, [[maybe_unused]] Value v_stride, [[maybe_unused]] Value v_padding, [[maybe_unused]] Value v_dilation) {
  return (floordiv((((v_n + (Value(2LL) * v_padding)) - (v_dilation * (v_kernel - Value(1LL)))) - Value(1LL)), v_stride) + Value(1LL));
}

// Size of one dimension after a transposed convolution.
inline Value functions_conv_transpose_out([[maybe_unused]] Value v_n, [[maybe_unused]] Value v_kernel, [[maybe_unused]] Value v_stride, [[maybe_unused]] Value v_padding, [[maybe_unused]] Value v_dilation, [[maybe_unused]] Value v_extra) {
  return ((((((v_n - Value(1LL)) * v_stride) - (Value(2LL) * v_padding)) + (v_dilation * (v_kernel - Value(1LL)))) + v_extra) + Value(1LL));
}

// A size known only when the operator has run, at most ``upper``.
inline Value functions_data_dependent([[maybe_unused]] Value v_upper) {
  return Value::data_dependent(v_upper);
}

// Sizes of the diagonal between dimensions ``a`` and ``b``, moved to the end.
inline Value functions_diagonal([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_offset, [[maybe_unused]] Value v_a, [[maybe_unused]] Value v_b) {
  [[maybe_unused]] Value v_columns, v_length, v_rows;
  { const Value tmp0_ = wrap(v_a, length(v_x)); const Value tmp1_ = wrap(v_b, length(v_x)); v_a = tmp0_;
  v_b = tmp1_;
  }
  if (truth((v_a == v_b))) {
    throw Error("a diagonal needs two different dimensions");
  }
  { const Value tmp0_ = (at(v_x, v_a) + fold_min(Value::list({v_offset, Value(0LL)}))); const Value tmp1_ = (at(v_x, v_b) - fold_max(Value::list({v_offset, Value(0LL)}))); v_rows = tmp0_;
  v_columns = tmp1_;
  }
  v_length = largest(smallest(v_rows, v_columns), Value(0LL));
  return ([&]() -> Value { std::vector<Value> out_; const Value seq0_ = enumerated(v_x); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = at(item0_, 0); [[maybe_unused]] const Value v_d = at(item0_, 1); if (truth(contains(Value::list({v_a, v_b}), v_i))) continue; out_.push_back(v_d); } return Value(out_); }() + Value::list({v_length}));
}

// Without one dimension.
inline Value functions_drop([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_dim) {
  [[maybe_unused]] Value v_at;
  v_at = wrap(v_dim, length(v_x));
  return (slice(v_x, Value(), v_at) + slice(v_x, (v_at + Value(1LL)), Value()));
}

// ``target`` with -1 replaced by the existing size; size-1 dimensions may grow.
inline Value functions_expand([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_target) {
  [[maybe_unused]] Value v_i, v_new, v_result, v_t;
  v_new = (length(v_target) - length(v_x));
  if (truth((v_new < Value(0LL)))) {
    throw Error("expand cannot drop dimensions");
  }
  v_result = Value::list({});
  {
    const Value all_ = enumerated(v_target);
    for (const Value& item_ : all_.items()) {
      { const Value row_ = item_;
      v_i = at(row_, 0);
      v_t = at(row_, 1);
      }
      if ((truth(Value(v_t.is_integer())) && truth((v_t == (-Value(1LL)))))) {
        if (truth((v_i < v_new))) {
          throw Error("a new dimension needs a size");
        }
        v_t = at(v_x, (v_i - v_new));
      } else {
        if ((truth((v_i >= v_new)) && !truth(equal(at(v_x, (v_i - v_new)), Value(1LL))) && truth(Value(is_false(equal(at(v_x, (v_i - v_new)), v_t)))))) {
          throw Error("only dimensions of size 1 can be expanded");
        }
      }
      v_result.items().push_back(v_t);
    }
  }
  return v_result;
}

// A list of ``n`` equal elements.
inline Value functions_fill([[maybe_unused]] Value v_n, [[maybe_unused]] Value v_value) {
  return (Value::list({v_value}) * v_n);
}

// A new dimension at ``dim`` (counted in the result).
inline Value functions_insert([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_dim, [[maybe_unused]] Value v_value) {
  [[maybe_unused]] Value v_at;
  v_at = wrap(v_dim, (length(v_x) + Value(1LL)));
  return (slice(v_x, Value(), v_at) + Value::list({v_value}) + slice(v_x, v_at, Value()));
}

inline Value functions_listed([[maybe_unused]] Value v_dims, [[maybe_unused]] Value v_n) {
  [[maybe_unused]] Value v_listed;
  if ((truth(Value(v_dims.is_none())) || (!truth(Value(v_dims.is_integer())) && truth((length(v_dims) == Value(0LL)))))) {
    return range(Value(0LL), v_n);
  }
  v_listed = [&]() -> Value { std::vector<Value> out_; const Value seq0_ = (truth(Value(v_dims.is_integer())) ? Value::list({v_dims}) : v_dims); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_d = item0_; out_.push_back(wrap(v_d, v_n)); } return Value(out_); }();
  if (truth((length(unique(v_listed)) != length(v_listed)))) {
    throw Error("a dimension is listed twice");
  }
  return (truth(v_n) ? v_listed : Value::list({}));
}

// The shape of the matrix product at each position of two lists.
inline Value functions_mm_each([[maybe_unused]] Value v_a, [[maybe_unused]] Value v_b) {
  if ((truth((length(v_a) != length(v_b))) || truth(any([&]() -> Value { std::vector<Value> out_; const Value seq0_ = (v_a + v_b); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_x = item0_; out_.push_back((length(v_x) != Value(2LL))); } return Value(out_); }())))) {
    throw Error("the lists are not matrices in pairs");
  }
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = zip_strict({v_a, v_b}); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_x = at(item0_, 0); [[maybe_unused]] const Value v_y = at(item0_, 1); out_.push_back(Value::list({at(v_x, Value(0LL)), at(v_y, Value(1LL))})); } return Value(out_); }();
}

// Number of elements; of a list of ints, their product.
inline Value functions_numel([[maybe_unused]] Value v_x) {
  return product(v_x);
}

// Sizes after padding: pairs (before, after), last dimension first.
inline Value functions_pad([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_pads) {
  [[maybe_unused]] Value v_grown, v_i, v_result;
  if ((truth((length(v_pads) % Value(2LL))) || truth((length(v_pads) > (Value(2LL) * length(v_x)))))) {
    throw Error("pads come in pairs, at most one a dimension");
  }
  v_result = v_x;
  {
    const Value all_ = range(Value(0LL), floordiv(length(v_pads), Value(2LL)));
    for (const Value& item_ : all_.items()) {
      v_i = item_;
      v_grown = ((at(v_result, ((-Value(1LL)) - v_i)) + at(v_pads, (Value(2LL) * v_i))) + at(v_pads, ((Value(2LL) * v_i) + Value(1LL))));
      if ((truth(Value(v_grown.is_integer())) && truth((v_grown < Value(0LL))))) {
        throw Error("the padding removes more than there is");
      }
      at(v_result, ((-Value(1LL)) - v_i)) = v_grown;
    }
  }
  return v_result;
}

// Dimensions in the order of ``dims``.
inline Value functions_permute([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_dims) {
  [[maybe_unused]] Value v_order;
  v_order = (truth(length(v_x)) ? [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_dims; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_d = item0_; out_.push_back(wrap(v_d, length(v_x))); } return Value(out_); }() : Value::list({}));
  if (truth((sorted(v_order) != range(Value(0LL), length(v_x))))) {
    throw Error("not a permutation of the dimensions");
  }
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_order; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_d = item0_; out_.push_back(at(v_x, v_d)); } return Value(out_); }();
}

// Sizes after pooling the last ``spatial`` dimensions; an empty stride means the kernel's.
inline Value functions_pool([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_kernel, [[maybe_unused]] Value v_stride, [[maybe_unused]] Value v_padding, [[maybe_unused]] Value v_dilation, [[maybe_unused]] Value v_ceil_mode, [[maybe_unused]] Value v_spatial) {
  [[maybe_unused]] Value v_at, v_pooled, v_steps;
  v_steps = ((truth(Value(v_stride.is_none())) || (!truth(Value(v_stride.is_integer())) && truth((length(v_stride) == Value(0LL))))) ? v_kernel : v_stride);
  v_at = (length(v_x) - v_spatial);
  v_pooled = [&]() -> Value { std::vector<Value> out_; const Value seq0_ = range(Value(0LL), v_spatial); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = item0_; out_.push_back(functions_pool_out(at(v_x, (v_at + v_i)), functions_at(v_kernel, v_i), functions_at(v_steps, v_i), functions_at(v_padding, v_i), functions_at(v_dilation, v_i), v_ceil_mode)); } return Value(out_); }();
  return (slice(v_x, Value(), v_at) + v_pooled);
}

// Size of one pooled dimension; with ``ceil_mode`` the last window must start inside the padded input.
inline Value functions_pool_out([[maybe_unused]] Value v_n, [[maybe_unused]] Value v_kernel, [[maybe_unused]] Value v_stride, [[maybe_unused]] Value v_padding, [[maybe_unused]] Value v_dilation, [[maybe_unused]] Value v_ceil_mode) {
  [[maybe_unused]] Value v_length, v_span;
  v_span = (((v_n + (Value(2LL) * v_padding)) - (v_dilation * (v_kernel - Value(1LL)))) - Value(1LL));
  if (!truth(v_ceil_mode)) {
    return (floordiv(v_span, v_stride) + Value(1LL));
  }
  v_length = (functions_ceil_div(v_span, v_stride) + Value(1LL));
  return (truth((((v_length - Value(1LL)) * v_stride) >= (v_n + v_padding))) ? (v_length - Value(1LL)) : v_length);
}

// The one size of ``range(start, end, step)``, which includes ``end``: ``(end - start) // step + 1``.
inline Value functions_range([[maybe_unused]] Value v_start, [[maybe_unused]] Value v_end, [[maybe_unused]] Value v_step) {
  [[maybe_unused]] Value v_length;
  v_length = (floordiv((v_end - v_start), v_step) + Value(1LL));
  return Value::list({(truth(Value((v_length.kind() == Kind::real))) ? to_integer(v_length) : v_length)});
}

// Number of dimensions (or of list elements).
inline Value functions_rank([[maybe_unused]] Value v_x) {
  return length(v_x);
}

// Sizes after reducing ``dims`` (an int, a list; None or empty means all).
inline Value functions_reduce([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_dims, [[maybe_unused]] Value v_keepdim) {
  [[maybe_unused]] Value v_gone;
  v_gone = unique(functions_listed(v_dims, length(v_x)));
  if (truth(v_keepdim)) {
    return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = enumerated(v_x); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = at(item0_, 0); [[maybe_unused]] const Value v_d = at(item0_, 1); out_.push_back((truth(contains(v_gone, v_i)) ? Value(1LL) : v_d)); } return Value(out_); }();
  }
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = enumerated(v_x); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = at(item0_, 0); [[maybe_unused]] const Value v_d = at(item0_, 1); if (truth(contains(v_gone, v_i))) continue; out_.push_back(v_d); } return Value(out_); }();
}

// Sizes after tiling; leading counts add dimensions.
inline Value functions_repeat([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_counts) {
  [[maybe_unused]] Value v_full;
  if (truth((length(v_counts) < length(v_x)))) {
    throw Error("fewer counts than dimensions");
  }
  v_full = ((Value::list({Value(1LL)}) * (length(v_counts) - length(v_x))) + v_x);
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = zip_strict({v_full, v_counts}); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_d = at(item0_, 0); [[maybe_unused]] const Value v_n = at(item0_, 1); out_.push_back((v_d * v_n)); } return Value(out_); }();
}

// With the size of one dimension replaced.
inline Value functions_replace([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_dim, [[maybe_unused]] Value v_value) {
  [[maybe_unused]] Value v_at;
  v_at = wrap(v_dim, length(v_x));
  return (truth(length(v_x)) ? (slice(v_x, Value(), v_at) + Value::list({v_value}) + slice(v_x, (v_at + Value(1LL)), Value())) : v_x);
}

// The elements from last to first.
inline Value functions_reverse([[maybe_unused]] Value v_x) {
  return reversed(v_x);
}

// The sizes of a tensor argument.
inline Value functions_shape([[maybe_unused]] Value v_x) {
  return v_x;
}

// Size of one dimension; 1 for a tensor of rank 0.
inline Value functions_size([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_dim) {
  return (truth(length(v_x)) ? at(v_x, wrap(v_dim, length(v_x))) : Value(1LL));
}

// The size of one dimension of each shape of a list.
inline Value functions_size_each([[maybe_unused]] Value v_shapes, [[maybe_unused]] Value v_dim) {
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_shapes; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_x = item0_; out_.push_back(functions_size(v_x, v_dim)); } return Value(out_); }();
}

// Sizes of the listed dimensions; of all for None or an empty list.
inline Value functions_sizes([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_dims) {
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = functions_listed(v_dims, length(v_x)); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_d = item0_; out_.push_back(functions_size(v_x, v_d)); } return Value(out_); }();
}

// Sizes of ``x[start:end:step]`` along ``dim``.
inline Value functions_slice([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_dim, [[maybe_unused]] Value v_start, [[maybe_unused]] Value v_end, [[maybe_unused]] Value v_step) {
  [[maybe_unused]] Value v_first, v_last, v_length, v_n;
  v_n = functions_size(v_x, v_dim);
  v_first = (truth(Value(v_start.is_none())) ? Value(0LL) : functions_bound(v_start, v_n));
  v_last = ((truth(Value(v_end.is_none())) || (truth(Value(v_end.is_integer())) && truth((v_end >= Value(9223372036854775807LL))))) ? v_n : functions_bound(v_end, v_n));
  v_length = (truth((v_first == Value(0LL))) ? (v_last - v_first) : largest((v_last - v_first), Value(0LL)));
  return functions_replace(v_x, v_dim, (truth((v_step == Value(1LL))) ? v_length : functions_ceil_div(v_length, v_step)));
}

// Shapes of pieces of ``step`` elements along ``dim``; the last may be shorter.
inline Value functions_split([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_step, [[maybe_unused]] Value v_dim) {
  [[maybe_unused]] Value v_n, v_starts, v_whole;
  v_n = functions_size(v_x, v_dim);
  if (!truth(Value(v_n.is_integer()))) {
    v_whole = floordiv(v_n, v_step);
    if ((truth(Value(v_whole.is_integer())) && truth(equal((v_whole * v_step), v_n)))) {
      return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = range(Value(0LL), v_whole); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v__ = item0_; out_.push_back(functions_replace(v_x, v_dim, v_step)); } return Value(out_); }();
    }
    { const Value tmp0_ = (!truth(Value(false)) ? to_integer(v_n) : v_n); const Value tmp1_ = (!truth(Value(false)) ? to_integer(v_step) : v_step); v_n = tmp0_;
    v_step = tmp1_;
    }
  }
  if ((!truth(Value(v_n.is_integer())) || !truth(Value(v_step.is_integer())))) {
    throw Error("the number of pieces depends on a symbol");
  }
  if (truth((v_step == Value(0LL)))) {
    return Value::list({v_x});
  }
  v_starts = (truth(v_n) ? range(Value(0LL), v_n, v_step) : range(Value(0LL), Value(1LL)));
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_starts; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_s = item0_; out_.push_back(functions_replace(v_x, v_dim, fold_min(Value::list({v_step, (v_n - v_s)})))); } return Value(out_); }();
}

// Shapes of pieces of the given lengths along ``dim``; they must add up.
inline Value functions_split_sizes([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_lengths, [[maybe_unused]] Value v_dim) {
  if (truth(Value(is_false(equal((truth(v_lengths) ? (at(v_lengths, Value(0LL)) + total(slice(v_lengths, Value(1LL), Value()))) : Value(0LL)), functions_size(v_x, v_dim)))))) {
    throw Error("the lengths do not add up to the size");
  }
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_lengths; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_n = item0_; out_.push_back(functions_replace(v_x, v_dim, v_n)); } return Value(out_); }();
}

// Without the listed dimensions (None: all) that have size 1.
inline Value functions_squeeze([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_dims) {
  [[maybe_unused]] Value v_listed;
  v_listed = (truth(Value(v_dims.is_none())) ? range(Value(0LL), length(v_x)) : unique([&]() -> Value { std::vector<Value> out_; const Value seq0_ = (truth(Value(v_dims.is_integer())) ? Value::list({v_dims}) : v_dims); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_d = item0_; out_.push_back(wrap(v_d, length(v_x))); } return Value(out_); }()));
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = enumerated(v_x); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = at(item0_, 0); [[maybe_unused]] const Value v_d = at(item0_, 1); if (!(!truth(contains(v_listed, v_i)) || truth((v_d != Value(1LL))))) continue; out_.push_back(v_d); } return Value(out_); }();
}

// Sizes of equal shapes stacked along a new dimension.
inline Value functions_stack([[maybe_unused]] Value v_shapes, [[maybe_unused]] Value v_dim) {
  if (truth(any([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_shapes; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_s = item0_; out_.push_back(Value(truth((length(v_s) != length(at(v_shapes, Value(0LL))))) || !truth(predicates_expandable(v_s, at(v_shapes, Value(0LL)))))); } return Value(out_); }()))) {
    throw Error("stacked shapes differ");
  }
  return functions_insert(at(v_shapes, Value(0LL)), v_dim, length(v_shapes));
}

// Two dimensions swapped.
inline Value functions_transpose([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_a, [[maybe_unused]] Value v_b) {
  [[maybe_unused]] Value v_swapped;
  { const Value tmp0_ = wrap(v_a, length(v_x)); const Value tmp1_ = wrap(v_b, length(v_x)); v_a = tmp0_;
  v_b = tmp1_;
  }
  v_swapped = v_x;
  if (truth(v_swapped)) {
    { const Value tmp0_ = at(v_x, v_b); const Value tmp1_ = at(v_x, v_a); at(v_swapped, v_a) = tmp0_;
    at(v_swapped, v_b) = tmp1_;
    }
  }
  return v_swapped;
}

// Shapes of the slices along ``dim``.
inline Value functions_unbind([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_dim) {
  [[maybe_unused]] Value v_n;
  v_n = at(v_x, wrap(v_dim, length(v_x)));
  v_n = (truth(Value(false)) ? v_n : to_integer(v_n));
  if (!truth(Value(v_n.is_integer()))) {
    throw Error("the number of pieces depends on a symbol");
  }
  return (Value::list({functions_drop(v_x, v_dim)}) * v_n);
}

// Sizes after sliding a window along ``dim``; the window becomes the last dimension.
inline Value functions_unfold([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_dim, [[maybe_unused]] Value v_window, [[maybe_unused]] Value v_step) {
  [[maybe_unused]] Value v_n;
  v_n = functions_size(v_x, v_dim);
  if ((truth(Value(v_n.is_integer())) && truth(Value(v_window.is_integer())) && truth((v_window > v_n)))) {
    throw Error("the window is larger than the dimension");
  }
  return (functions_replace(v_x, v_dim, (floordiv((v_n - v_window), v_step) + Value(1LL))) + Value::list({v_window}));
}

// ``target`` with its -1 inferred; the number of elements must stay the same.
inline Value functions_view([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_target) {
  [[maybe_unused]] Value v_holes, v_known, v_total;
  v_holes = [&]() -> Value { std::vector<Value> out_; const Value seq0_ = enumerated(v_target); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = at(item0_, 0); [[maybe_unused]] const Value v_d = at(item0_, 1); if (!(truth(Value(v_d.is_integer())) && truth((v_d == (-Value(1LL)))))) continue; out_.push_back(v_i); } return Value(out_); }();
  v_total = product(v_x);
  if (truth((length(v_holes) > Value(1LL)))) {
    throw Error("only one size can be inferred");
  }
  if (truth(v_holes)) {
    v_known = product([&]() -> Value { std::vector<Value> out_; const Value seq0_ = enumerated(v_target); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = at(item0_, 0); [[maybe_unused]] const Value v_d = at(item0_, 1); if (!truth((v_i != at(v_holes, Value(0LL))))) continue; out_.push_back(v_d); } return Value(out_); }());
    if (truth(equal(v_known, Value(0LL)))) {
      throw Error("the size cannot be inferred from an empty tensor");
    }
    if ((truth(Value(is_false(equal((v_total % v_known), Value(0LL))))) && !truth(Value(false)))) {
      throw Error("the number of elements does not divide");
    }
    return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = enumerated(v_target); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = at(item0_, 0); [[maybe_unused]] const Value v_d = at(item0_, 1); out_.push_back((truth((v_i == at(v_holes, Value(0LL)))) ? floordiv(v_total, v_known) : v_d)); } return Value(out_); }();
  }
  if (truth(Value(is_false(equal(v_total, product(v_target)))))) {
    throw Error("the number of elements changes");
  }
  return v_target;
}

// Number of entries of a matrix on or below the diagonal ``offset``: row i has i + offset + 1 of them,
// at least 0 and at most ``columns``.
inline Value indexing_below_diagonal([[maybe_unused]] Value v_rows, [[maybe_unused]] Value v_columns, [[maybe_unused]] Value v_offset) {
  auto f_first = [&](Value v_n) -> Value {
    [[maybe_unused]] Value v_grown;
    v_grown = fold_max(Value::list({fold_min(Value::list({v_n, v_columns})), Value(0LL)}));
    return (floordiv((v_grown * (v_grown + Value(1LL))), Value(2LL)) + (fold_max(Value::list({(v_n - v_columns), Value(0LL)})) * v_columns));
  };
  return (f_first((v_rows + v_offset)) - f_first(v_offset));
}

// The common shape under broadcasting; arguments that are None are skipped.
inline Value indexing_broadcast([[maybe_unused]] Value v_shapes) {
  [[maybe_unused]] Value v_d, v_i, v_offset, v_present, v_result, v_s;
  v_present = [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_shapes; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_s = item0_; if (v_s.is_none()) continue; out_.push_back(v_s); } return Value(out_); }();
  if ((truth((length(v_present) == Value(1LL))) || (truth((length(v_present) == Value(2LL))) && truth(predicates_all_int(at(v_present, Value(0LL)))) && truth(predicates_all_int(at(v_present, Value(1LL)))) && truth((at(v_present, Value(0LL)) == at(v_present, Value(1LL))))))) {
    return at(v_present, Value(0LL));
  }
  v_result = Value::list({});
  {
    const Value all_ = v_present;
    for (const Value& item_ : all_.items()) {
      v_s = item_;
      v_s = v_s;
      while (truth((length(v_result) < length(v_s)))) {
        insert_at(v_result, Value(0LL), Value(1LL));
      }
      v_offset = (length(v_result) - length(v_s));
      {
        const Value all_ = enumerated(v_s);
        for (const Value& item_ : all_.items()) {
          { const Value row_ = item_;
          v_i = at(row_, 0);
          v_d = at(row_, 1);
          }
          at(v_result, (v_offset + v_i)) = indexing_join(at(v_result, (v_offset + v_i)), v_d);
        }
      }
    }
  }
  return v_result;
}

// Sizes of ``chunks`` rows, each with a share of every tensor: dimension ``dim`` is split into chunks,
// and what follows is flattened and concatenated.
inline Value indexing_chunk_cat([[maybe_unused]] Value v_shapes, [[maybe_unused]] Value v_dim, [[maybe_unused]] Value v_chunks) {
  [[maybe_unused]] Value v_columns, v_x;
  v_columns = Value(0LL);
  {
    const Value all_ = v_shapes;
    for (const Value& item_ : all_.items()) {
      v_x = item_;
      if (truth((length(v_x) <= v_dim))) {
        throw Error("the dimension does not exist");
      }
      v_columns = (v_columns + ((-floordiv((-at(v_x, v_dim)), v_chunks)) * product(slice(v_x, (v_dim + Value(1LL)), Value()))));
    }
  }
  return (slice(at(v_shapes, Value(0LL)), Value(), v_dim) + Value::list({v_chunks, v_columns}));
}

// Sizes after the last dimension became a diagonal between dimensions ``a`` and ``b`` of the result.
inline Value indexing_diag_embed([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_offset, [[maybe_unused]] Value v_a, [[maybe_unused]] Value v_b) {
  [[maybe_unused]] Value v_first, v_second, v_side;
  { const Value tmp0_ = wrap(v_a, (length(v_x) + Value(1LL))); const Value tmp1_ = wrap(v_b, (length(v_x) + Value(1LL))); v_a = tmp0_;
  v_b = tmp1_;
  }
  if (truth((v_a == v_b))) {
    throw Error("a diagonal needs two different dimensions");
  }
  v_side = (at(v_x, (-Value(1LL))) + absolute(v_offset));
  { const Value tmp0_ = fold_min(Value::list({v_a, v_b})); const Value tmp1_ = fold_max(Value::list({v_a, v_b})); v_first = tmp0_;
  v_second = tmp1_;
  }
  return (slice(v_x, Value(), v_first) + Value::list({v_side}) + slice(v_x, v_first, (v_second - Value(1LL))) + Value::list({v_side}) + slice(v_x, (v_second - Value(1LL)), (-Value(1LL))));
}

// Sizes of ``x[indices]``: the broadcast shape of the indices, in place if they are adjacent, else
// first. ``dtypes`` are those of the indices, joined by commas; a bool index is a mask over as many
// dimensions as it has.
inline Value indexing_index([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_indices, [[maybe_unused]] Value v_dtypes) {
  [[maybe_unused]] Value v_at, v_common, v_listed, v_rest, v_used;
  v_listed = (truth(v_indices) ? indexing_spread(v_indices, v_dtypes) : Value::list({}));
  if (truth((length(v_listed) > length(v_x)))) {
    throw Error("more indices than dimensions");
  }
  v_used = [&]() -> Value { std::vector<Value> out_; const Value seq0_ = enumerated(v_listed); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = at(item0_, 0); [[maybe_unused]] const Value v_s = at(item0_, 1); if (v_s.is_none()) continue; out_.push_back(v_i); } return Value(out_); }();
  if (!truth(v_used)) {
    return v_x;
  }
  v_common = indexing_broadcast([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_used; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = item0_; out_.push_back(at(v_listed, v_i)); } return Value(out_); }());
  v_rest = [&]() -> Value { std::vector<Value> out_; const Value seq0_ = enumerated(v_x); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = at(item0_, 0); [[maybe_unused]] const Value v_d = at(item0_, 1); if (truth(contains(v_used, v_i))) continue; out_.push_back(v_d); } return Value(out_); }();
  v_at = (truth((v_used == range(at(v_used, Value(0LL)), (at(v_used, (-Value(1LL))) + Value(1LL))))) ? at(v_used, Value(0LL)) : Value(0LL));
  return (slice(v_rest, Value(), v_at) + v_common + slice(v_rest, v_at, Value()));
}

// Whether ``indices`` address a tensor of shape ``x``: not more than there are dimensions, each mask
// as large as the dimensions that it stands for.
inline Value indexing_indexes([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_indices, [[maybe_unused]] Value v_dtypes) {
  [[maybe_unused]] Value v_at, v_dtype, v_index, v_sizes, v_taken;
  v_at = Value(0LL);
  {
    const Value all_ = zip({v_indices, split_text(v_dtypes, Value(","))});
    for (const Value& item_ : all_.items()) {
      { const Value row_ = item_;
      v_index = at(row_, 0);
      v_dtype = at(row_, 1);
      }
      v_taken = ((!v_index.is_none() && truth((v_dtype == Value("bool")))) ? length(v_index) : Value(1LL));
      if ((truth(((v_at + v_taken) > length(v_x))) || truth((v_taken == Value(0LL))))) {
        return Value(false);
      }
      if ((!v_index.is_none() && truth((v_dtype == Value("bool"))))) {
        v_sizes = zip_strict({v_index, slice(v_x, v_at, (v_at + v_taken))});
        if (truth(any([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_sizes; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_p = at(item0_, 0); [[maybe_unused]] const Value v_q = at(item0_, 1); out_.push_back(Value(is_false(equal(v_p, v_q)))); } return Value(out_); }()))) {
          return Value(false);
        }
      }
      v_at = (v_at + v_taken);
    }
  }
  return Value(true);
}

inline Value indexing_join([[maybe_unused]] Value v_a, [[maybe_unused]] Value v_b) {
  [[maybe_unused]] Value v_same;
  v_same = equal(v_a, v_b);
  if (truth(v_same)) {
    return v_a;
  }
  if ((!truth(Value((v_a.kind() == Kind::data_dependent))) && truth((v_a == Value(1LL))))) {
    return v_b;
  }
  if ((!truth(Value((v_b.kind() == Kind::data_dependent))) && truth((v_b == Value(1LL))))) {
    return v_a;
  }
  if ((truth(Value(v_same.is_none())) || truth(Value((v_a.kind() == Kind::data_dependent))) || truth(Value((v_b.kind() == Kind::data_dependent))))) {
    return (truth(Value(v_b.is_integer())) ? v_b : v_a);
  }
  throw Error("shapes do not broadcast");
}

// One shape for each indexed dimension: a mask stands for one vector of unknown length a dimension.
inline Value indexing_spread([[maybe_unused]] Value v_indices, [[maybe_unused]] Value v_dtypes) {
  [[maybe_unused]] Value v_dtype, v_found, v_index;
  v_found = Value::list({});
  {
    const Value all_ = zip_strict({v_indices, split_text(v_dtypes, Value(","))});
    for (const Value& item_ : all_.items()) {
      { const Value row_ = item_;
      v_index = at(row_, 0);
      v_dtype = at(row_, 1);
      }
      if ((truth(Value(v_index.is_none())) || truth((v_dtype != Value("bool"))))) {
        v_found.items().push_back(v_index);
      } else {
        v_found = (v_found + (Value::list({Value::list({Value::data_dependent(product(v_index))})}) * length(v_index)));
      }
    }
  }
  return v_found;
}

// Sizes of matrices along a diagonal: rows and columns added up; a vector is one row, a number 1 × 1.
inline Value matrices_block_diagonal([[maybe_unused]] Value v_shapes) {
  [[maybe_unused]] Value v_columns, v_rows, v_s;
  v_rows = Value(0LL);
  v_columns = Value(0LL);
  {
    const Value all_ = v_shapes;
    for (const Value& item_ : all_.items()) {
      v_s = item_;
      if (truth((length(v_s) > Value(2LL)))) {
        throw Error("a block has more than two dimensions");
      }
      v_rows = (v_rows + (truth((length(v_s) == Value(2LL))) ? at(v_s, Value(0LL)) : Value(1LL)));
      v_columns = (v_columns + (truth(length(v_s)) ? at(v_s, (-Value(1LL))) : Value(1LL)));
    }
  }
  return Value::list({v_rows, v_columns});
}

// Whether a tensor holds square matrices.
inline Value matrices_is_square([[maybe_unused]] Value v_x) {
  return Value(truth((length(v_x) >= Value(2LL))) && !is_false(equal(at(v_x, (-Value(2LL))), at(v_x, (-Value(1LL))))));
}

// Whether ``b`` is the right-hand side of vectors for the matrices ``a``, rather than of matrices.
inline Value matrices_is_vector_beside([[maybe_unused]] Value v_b, [[maybe_unused]] Value v_a) {
  if (truth((length(v_b) == Value(1LL)))) {
    return Value(true);
  }
  return Value(truth((length(v_b) == (length(v_a) - Value(1LL)))) && truth(all([&]() -> Value { std::vector<Value> out_; const Value seq0_ = zip({v_b, v_a}); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_p = at(item0_, 0); [[maybe_unused]] const Value v_q = at(item0_, 1); out_.push_back(Value(truth(equal(v_p, v_q)))); } return Value(out_); }())));
}

// The smaller of the number of rows and of columns.
inline Value matrices_shorter_side([[maybe_unused]] Value v_x) {
  return smallest(at(v_x, (-Value(2LL))), at(v_x, (-Value(1LL))));
}

// The sizes with a 1 put in at each of ``positions``, which count in the result.
inline Value matrices_with_ones([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_positions) {
  [[maybe_unused]] Value v_i, v_rest, v_result;
  { const Value tmp0_ = v_x; const Value tmp1_ = Value::list({}); v_rest = tmp0_;
  v_result = tmp1_;
  }
  {
    const Value all_ = range(Value(0LL), (length(v_x) + length(v_positions)));
    for (const Value& item_ : all_.items()) {
      v_i = item_;
      v_result.items().push_back((truth(contains(v_positions, v_i)) ? Value(1LL) : take_at(v_rest, Value(0LL))));
    }
  }
  return v_result;
}

// Whether every size is a plain integer.
inline Value predicates_all_int([[maybe_unused]] Value v_x) {
  return all([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_x; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_d = item0_; out_.push_back(Value(v_d.is_integer())); } return Value(out_); }());
}

// Whether ``a`` is at least as large as ``b`` in every dimension.
inline Value predicates_covers([[maybe_unused]] Value v_a, [[maybe_unused]] Value v_b) {
  return Value(truth((length(v_a) == length(v_b))) && truth(all([&]() -> Value { std::vector<Value> out_; const Value seq0_ = zip_strict({v_a, v_b}); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_p = at(item0_, 0); [[maybe_unused]] const Value v_q = at(item0_, 1); out_.push_back(Value(truth((v_q <= v_p)))); } return Value(out_); }())));
}

// Whether ``dims`` (an int, a list or None) name different dimensions of a tensor of rank ``n``.
inline Value predicates_distinct([[maybe_unused]] Value v_dims, [[maybe_unused]] Value v_n) {
  [[maybe_unused]] Value v_listed;
  if (truth(Value(v_dims.is_none()))) {
    return Value(true);
  }
  v_listed = (truth(Value(v_dims.is_integer())) ? Value::list({v_dims}) : v_dims);
  if (!truth(all([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_listed; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_d = item0_; out_.push_back(predicates_in_range(v_d, v_n)); } return Value(out_); }()))) {
    return Value(false);
  }
  return (length(unique([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_listed; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_d = item0_; out_.push_back(wrap(v_d, v_n)); } return Value(out_); }())) == length(v_listed));
}

// Whether ``x`` broadcasts to exactly ``target``.
inline Value predicates_expandable([[maybe_unused]] Value v_x, [[maybe_unused]] Value v_target) {
  [[maybe_unused]] Value v_pairs;
  if (truth((length(v_x) > length(v_target)))) {
    return Value(false);
  }
  v_pairs = zip({reversed(v_x), reversed(v_target)});
  return all([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_pairs; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_d = at(item0_, 0); [[maybe_unused]] const Value v_t = at(item0_, 1); out_.push_back(Value(truth(equal(v_d, Value(1LL))) || !is_false(equal(v_d, v_t)))); } return Value(out_); }());
}

// Whether a strided view of a row-major tensor of ``n`` elements stays inside it.
inline Value predicates_fits_storage([[maybe_unused]] Value v_sizes, [[maybe_unused]] Value v_strides, [[maybe_unused]] Value v_offset, [[maybe_unused]] Value v_n) {
  [[maybe_unused]] Value v_d, v_last, v_step;
  if (truth(any([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_sizes; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_d = item0_; out_.push_back(Value(truth(Value(v_d.is_integer())) && truth((v_d == Value(0LL))))); } return Value(out_); }()))) {
    return Value(true);
  }
  v_last = (truth(Value(v_offset.is_none())) ? Value(0LL) : v_offset);
  {
    const Value all_ = zip_strict({v_sizes, v_strides});
    for (const Value& item_ : all_.items()) {
      { const Value row_ = item_;
      v_d = at(row_, 0);
      v_step = at(row_, 1);
      }
      v_last = (v_last + ((v_d - Value(1LL)) * v_step));
    }
  }
  return Value(truth((v_last < v_n)));
}

// Whether a dtype name is a real floating-point type.
inline Value predicates_floating([[maybe_unused]] Value v_dtype) {
  return starts_with(v_dtype, Value::list({Value("float"), Value("bfloat")}));
}

// Whether an optional argument was given.
inline Value predicates_given([[maybe_unused]] Value v_x) {
  return Value(!v_x.is_none());
}

// Whether ``dim`` names a dimension of a tensor of rank ``n`` (a rank of 0 counts as 1).
inline Value predicates_in_range([[maybe_unused]] Value v_dim, [[maybe_unused]] Value v_n) {
  return Value(truth(((-fold_max(Value::list({v_n, Value(1LL)}))) <= v_dim)) && truth((v_dim < fold_max(Value::list({v_n, Value(1LL)})))));
}

// Whether a dtype name is an integer type or bool.
inline Value predicates_integral([[maybe_unused]] Value v_dtype) {
  return starts_with(v_dtype, Value::list({Value("int"), Value("uint"), Value("bool")}));
}

// Whether no shape of a list has a size 0.
inline Value predicates_nonempty_each([[maybe_unused]] Value v_shapes) {
  return all([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_shapes; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_x = item0_; const Value seq1_ = v_x; for (const Value& item1_ : seq1_.items()) { [[maybe_unused]] const Value v_d = item1_; out_.push_back(Value(!is_true(equal(v_d, Value(0LL))))); } } return Value(out_); }());
}

// Whether two shapes of one rank agree everywhere but in ``dim``.
inline Value predicates_same_except([[maybe_unused]] Value v_a, [[maybe_unused]] Value v_b, [[maybe_unused]] Value v_dim) {
  [[maybe_unused]] Value v_at;
  if (truth((length(v_a) != length(v_b)))) {
    return Value(false);
  }
  v_at = wrap(v_dim, length(v_a));
  return all([&]() -> Value { std::vector<Value> out_; const Value seq0_ = enumerated(zip_strict({v_a, v_b})); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = at(item0_, 0); [[maybe_unused]] const Value v_p = at(at(item0_, 1), 0); [[maybe_unused]] const Value v_q = at(at(item0_, 1), 1); out_.push_back(Value(truth((v_i == v_at)) || !is_false(equal(v_p, v_q)))); } return Value(out_); }());
}

// Whether numbers are integers (symbolic ones included), not floats.
inline Value predicates_whole([[maybe_unused]] Value v_numbers) {
  return Value(!truth(any([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_numbers; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_n = item0_; out_.push_back(Value((v_n.kind() == Kind::real) || false)); } return Value(out_); }())));
}

// Whether ``a`` is nowhere larger than ``b`` but perhaps in ``dim``.
inline Value predicates_within([[maybe_unused]] Value v_a, [[maybe_unused]] Value v_b, [[maybe_unused]] Value v_dim) {
  [[maybe_unused]] Value v_at;
  if (truth((length(v_a) != length(v_b)))) {
    return Value(false);
  }
  v_at = wrap(v_dim, length(v_a));
  return all([&]() -> Value { std::vector<Value> out_; const Value seq0_ = enumerated(zip_strict({v_a, v_b})); for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_i = at(item0_, 0); [[maybe_unused]] const Value v_p = at(at(item0_, 1), 0); [[maybe_unused]] const Value v_q = at(at(item0_, 1), 1); out_.push_back(Value(truth((v_i == v_at)) || truth(Value(truth((v_p <= v_q)))))); } return Value(out_); }());
}


inline Value rule_0(const Arguments& a) { (void)a; return a["self"]; }
inline Value rule_1(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["other"]})); }
inline Value rule_2(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL))) + a["output_size"]); }
inline Value rule_3(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(3LL))) || truth((functions_rank(a["self"]) == Value(4LL)))); }
inline Value rule_4(const Arguments& a) { (void)a; return (functions_numel(slice(a["self"], (functions_rank(a["self"]) - Value(2LL)), Value())) > Value(0LL)); }
inline Value rule_5(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["output_size"]) == Value(2LL))) && truth((fold_min(Value::list({a["output_size"]})) > Value(0LL)))); }
inline Value rule_6(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["grad_output"]) == functions_rank(a["self"]))) && truth((slice(a["grad_output"], Value(), (functions_rank(a["self"]) - Value(2LL))) == slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL)))))); }
inline Value rule_7(const Arguments& a) { (void)a; return (functions_numel(slice(a["grad_output"], (functions_rank(a["self"]) - Value(2LL)), Value())) > Value(0LL)); }
inline Value rule_8(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + a["output_size"]); }
inline Value rule_9(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(4LL))) || truth((functions_rank(a["self"]) == Value(5LL)))); }
inline Value rule_10(const Arguments& a) { (void)a; return (functions_numel(slice(a["self"], (functions_rank(a["self"]) - Value(3LL)), Value())) > Value(0LL)); }
inline Value rule_11(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["output_size"]) == Value(3LL))) && truth((fold_min(Value::list({a["output_size"]})) > Value(0LL)))); }
inline Value rule_12(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["grad_output"]) == functions_rank(a["self"]))) && truth((slice(a["grad_output"], Value(), (functions_rank(a["self"]) - Value(3LL))) == slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL)))))); }
inline Value rule_13(const Arguments& a) { (void)a; return (functions_numel(slice(a["grad_output"], (functions_rank(a["self"]) - Value(3LL)), Value())) > Value(0LL)); }
inline Value rule_14(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("other")); }
inline Value rule_15(const Arguments& a) { (void)a; return Value::list({at(a["mat1"], Value(0LL)), at(a["mat2"], Value(1LL))}); }
inline Value rule_16(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["mat1"]) == Value(2LL))) && truth((functions_rank(a["mat2"]) == Value(2LL)))); }
inline Value rule_17(const Arguments& a) { (void)a; return (at(a["mat1"], Value(1LL)) == at(a["mat2"], Value(0LL))); }
inline Value rule_18(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(1LL))) || truth((functions_rank(a["self"]) == Value(2LL)))); }
inline Value rule_19(const Arguments& a) { (void)a; return predicates_expandable(a["self"], Value::list({at(a["mat1"], Value(0LL)), at(a["mat2"], Value(1LL))})); }
inline Value rule_20(const Arguments& a) { (void)a; return Value(truth(predicates_floating(a.dtype("self"))) || !truth(a["use_gelu"])); }
inline Value rule_21(const Arguments& a) { (void)a; return Value(truth(predicates_whole(Value::list({a["beta"], a["alpha"]}))) || !truth(predicates_integral(a.dtype("self")))); }
inline Value rule_22(const Arguments& a) { (void)a; return functions_reduce(a["self"], Value(), Value(false)); }
inline Value rule_23(const Arguments& a) { (void)a; return (functions_numel(a["self"]) > Value(0LL)); }
inline Value rule_24(const Arguments& a) { (void)a; return functions_reduce(a["self"], a["dim"], a["keepdim"]); }
inline Value rule_25(const Arguments& a) { (void)a; return predicates_distinct(a["dim"], functions_rank(a["self"])); }
inline Value rule_26(const Arguments& a) { (void)a; return (functions_numel(functions_sizes(a["self"], a["dim"])) > Value(0LL)); }
inline Value rule_27(const Arguments& a) { (void)a; return (functions_numel(a["self"]) == Value(1LL)); }
inline Value rule_28(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["size"])) || truth((a["size"] == functions_shape(a["a"])))); }
inline Value rule_29(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || truth((a["dtype"] == a.dtype("a")))); }
inline Value rule_30(const Arguments& a) { (void)a; return a["input"]; }
inline Value rule_31(const Arguments& a) { (void)a; return Value::list({Value(0LL)}); }
inline Value rule_32(const Arguments& a) { (void)a; return (functions_rank(a["input"]) >= Value(2LL)); }
inline Value rule_33(const Arguments& a) { (void)a; return (functions_numel(a["input"]) > Value(0LL)); }
inline Value rule_34(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == slice(a["input"], Value(1LL), Value(2LL))))); }
inline Value rule_35(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == slice(a["input"], Value(1LL), Value(2LL))))); }
inline Value rule_36(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a.dtype("weight") == a.dtype("input"))) || truth((a.dtype("weight") == Value("float32")))); }
inline Value rule_37(const Arguments& a) { (void)a; return Value(truth(predicates_given(a["running_mean"])) && truth(predicates_given(a["running_var"]))); }
inline Value rule_38(const Arguments& a) { (void)a; return Value(truth((a["running_mean"] == slice(a["input"], Value(1LL), Value(2LL)))) && truth((a["running_var"] == a["running_mean"]))); }
inline Value rule_39(const Arguments& a) { (void)a; return slice(a["input"], Value(1LL), Value(2LL)); }
inline Value rule_40(const Arguments& a) { (void)a; return a["running_mean"]; }
inline Value rule_41(const Arguments& a) { (void)a; return a["running_var"]; }
inline Value rule_42(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["x1"], Value(), (-Value(2LL))), slice(a["x2"], Value(), (-Value(2LL)))})) + slice(a["x1"], (-Value(2LL)), Value())); }
inline Value rule_43(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["x1"]) >= Value(2LL))) && truth((functions_rank(a["x2"]) >= Value(2LL))) && truth((at(a["x1"], (-Value(1LL))) == at(a["x2"], (-Value(1LL)))))); }
inline Value rule_44(const Arguments& a) { (void)a; return (a["p"] >= Value(0LL)); }
inline Value rule_45(const Arguments& a) { (void)a; return (a["grad"] == (indexing_broadcast(Value::list({slice(a["x1"], Value(), (-Value(2LL))), slice(a["x2"], Value(), (-Value(2LL)))})) + Value::list({at(a["x1"], (-Value(2LL))), at(a["x2"], (-Value(2LL)))}))); }
inline Value rule_46(const Arguments& a) { (void)a; return (a["cdist"] == a["grad"]); }
inline Value rule_47(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["x1"], Value(), (-Value(2LL))), slice(a["x2"], Value(), (-Value(2LL)))})) + Value::list({at(a["x1"], (-Value(2LL))), at(a["x2"], (-Value(2LL)))})); }
inline Value rule_48(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["compute_mode"])) || (truth((a["compute_mode"] >= Value(0LL))) && truth((a["compute_mode"] <= Value(2LL))))); }
inline Value rule_49(const Arguments& a) { (void)a; return matrices_is_square(a["A"]); }
inline Value rule_50(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) >= Value(2LL))) && truth((at(a["self"], (-Value(2LL))) == at(a["A"], (-Value(1LL)))))); }
inline Value rule_51(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (-Value(2LL))) == slice(a["A"], Value(), (-Value(2LL)))); }
inline Value rule_52(const Arguments& a) { (void)a; return indexing_chunk_cat(a["tensors"], a["dim"], a["num_chunks"]); }
inline Value rule_53(const Arguments& a) { (void)a; return (length(a["tensors"]) > Value(0LL)); }
inline Value rule_54(const Arguments& a) { (void)a; return (a["num_chunks"] > Value(0LL)); }
inline Value rule_55(const Arguments& a) { (void)a; return (a["dim"] >= Value(0LL)); }
inline Value rule_56(const Arguments& a) { (void)a; return a["x"]; }
inline Value rule_57(const Arguments& a) { (void)a; return Value(truth((a["x"] == a["alpha"])) && truth((a["x"] == a["total"]))); }
inline Value rule_58(const Arguments& a) { (void)a; return a["size"]; }
inline Value rule_59(const Arguments& a) { (void)a; return (a["quant_min"] <= a["quant_max"]); }
inline Value rule_60(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) && truth((a["axis"] >= Value(0LL))) && truth((a["axis"] < functions_rank(a["self"])))); }
inline Value rule_61(const Arguments& a) { (void)a; return Value(truth((a["scale"] == Value::list({functions_size(a["self"], a["axis"])}))) && truth((a["zero_point"] == a["scale"]))); }
inline Value rule_62(const Arguments& a) { (void)a; return a["scale"]; }
inline Value rule_63(const Arguments& a) { (void)a; return (a["grad"] == a["self"]); }
inline Value rule_64(const Arguments& a) { (void)a; return (a["quant_min"] < a["quant_max"]); }
inline Value rule_65(const Arguments& a) { (void)a; return (functions_rank(a["self"]) > Value(1LL)); }
inline Value rule_66(const Arguments& a) { (void)a; return Value(truth((a["scale"] == Value::list({Value(1LL)}))) && truth((a["zero_point"] == Value::list({Value(1LL)})))); }
inline Value rule_67(const Arguments& a) { (void)a; return Value::list({Value(1LL)}); }
inline Value rule_68(const Arguments& a) { (void)a; return (functions_numel(a["fake_quant_enabled"]) == Value(1LL)); }
inline Value rule_69(const Arguments& a) { (void)a; return Value(truth((a["normalization"] >= Value(0LL))) && truth((a["normalization"] <= Value(2LL)))); }
inline Value rule_70(const Arguments& a) { (void)a; return Value(truth((functions_numel(functions_sizes(a["self"], a["dim"])) > Value(0LL))) || truth((length(a["dim"]) == Value(0LL)))); }
inline Value rule_71(const Arguments& a) { (void)a; return functions_replace(a["self"], at(a["dim"], (-Value(1LL))), a["last_dim_size"]); }
inline Value rule_72(const Arguments& a) { (void)a; return Value(truth((length(a["dim"]) > Value(0LL))) && truth((a["last_dim_size"] >= Value(1LL)))); }
inline Value rule_73(const Arguments& a) { (void)a; return (functions_size(a["self"], at(a["dim"], (-Value(1LL)))) == (floordiv(a["last_dim_size"], Value(2LL)) + Value(1LL))); }
inline Value rule_74(const Arguments& a) { (void)a; return (truth(a["onesided"]) ? functions_replace(a["self"], at(a["dim"], (-Value(1LL))), (floordiv(at(a["self"], at(a["dim"], (-Value(1LL)))), Value(2LL)) + Value(1LL))) : functions_shape(a["self"])); }
inline Value rule_75(const Arguments& a) { (void)a; return Value(truth((length(a["dim"]) > Value(0LL))) && truth((functions_numel(functions_sizes(a["self"], a["dim"])) > Value(0LL)))); }
inline Value rule_76(const Arguments& a) { (void)a; return (length(a["self"]) > Value(0LL)); }
inline Value rule_77(const Arguments& a) { (void)a; return functions_broadcast_each(Value::list({a["self"], a["other"]})); }
inline Value rule_78(const Arguments& a) { (void)a; return (length(a["other"]) == length(a["self"])); }
inline Value rule_79(const Arguments& a) { (void)a; return (length(a["scalars"]) == length(a["self"])); }
inline Value rule_80(const Arguments& a) { (void)a; return functions_broadcast_each(Value::list({a["self"], a["tensor1"], a["tensor2"]})); }
inline Value rule_81(const Arguments& a) { (void)a; return (length(a["tensor1"]) == length(a["self"])); }
inline Value rule_82(const Arguments& a) { (void)a; return (length(a["tensor2"]) == length(a["self"])); }
inline Value rule_83(const Arguments& a) { (void)a; return Value(!(truth(predicates_integral(a.dtype("tensor1"))) && truth(predicates_integral(a.dtype("tensor2"))))); }
inline Value rule_84(const Arguments& a) { (void)a; return Value(truth((length(a["tensor1"]) == length(a["self"]))) && truth((length(a["tensor2"]) == length(a["self"])))); }
inline Value rule_85(const Arguments& a) { (void)a; return (a["scalars"] == Value::list({length(a["self"])})); }
inline Value rule_86(const Arguments& a) { (void)a; return (length(a["src"]) == length(a["self"])); }
inline Value rule_87(const Arguments& a) { (void)a; return functions_broadcast_each(Value::list({a["self"], a["tensors1"], a["weights"]})); }
inline Value rule_88(const Arguments& a) { (void)a; return (length(a["tensors1"]) == length(a["self"])); }
inline Value rule_89(const Arguments& a) { (void)a; return (length(a["weights"]) == length(a["self"])); }
inline Value rule_90(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("tensors1")); }
inline Value rule_91(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("weights")); }
inline Value rule_92(const Arguments& a) { (void)a; return functions_broadcast_each(Value::list({a["self"], a["tensors1"]})); }
inline Value rule_93(const Arguments& a) { (void)a; return (length(a["weight"]) == length(a["self"])); }
inline Value rule_94(const Arguments& a) { (void)a; return functions_fill(length(a["self"]), Value::list({})); }
inline Value rule_95(const Arguments& a) { (void)a; return predicates_nonempty_each(a["self"]); }
inline Value rule_96(const Arguments& a) { (void)a; return functions_mm_each(a["self"], a["mat2"]); }
inline Value rule_97(const Arguments& a) { (void)a; return (length(a["mat2"]) == length(a["self"])); }
inline Value rule_98(const Arguments& a) { (void)a; return (functions_size_each(a["self"], Value(1LL)) == functions_size_each(a["mat2"], Value(0LL))); }
inline Value rule_99(const Arguments& a) { (void)a; return functions_broadcast_each(Value::list({a["self"], a["exponent"]})); }
inline Value rule_100(const Arguments& a) { (void)a; return (length(a["exponent"]) == length(a["self"])); }
inline Value rule_101(const Arguments& a) { (void)a; return a["exponent"]; }
inline Value rule_102(const Arguments& a) { (void)a; return (length(a["exponent"]) > Value(0LL)); }
inline Value rule_103(const Arguments& a) { (void)a; return a["dep_token"]; }
inline Value rule_104(const Arguments& a) { (void)a; return Value((!truth(predicates_given(a["min"])) || truth((a["size"] >= a["min"]))) && (!truth(predicates_given(a["max"])) || truth((a["size"] <= a["max"])))); }
inline Value rule_105(const Arguments& a) { (void)a; return Value(truth((a["size"] >= Value(0LL))) && (!truth(predicates_given(a["min"])) || truth((a["min"] >= Value(0LL))))); }
inline Value rule_106(const Arguments& a) { (void)a; return a["running_min"]; }
inline Value rule_107(const Arguments& a) { (void)a; return a["running_max"]; }
inline Value rule_108(const Arguments& a) { (void)a; return a["zero_point"]; }
inline Value rule_109(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) && truth((functions_numel(a["self"]) > Value(0LL)))); }
inline Value rule_110(const Arguments& a) { (void)a; return predicates_in_range(a["ch_axis"], functions_rank(a["self"])); }
inline Value rule_111(const Arguments& a) { (void)a; return Value(!truth(a["per_row_fake_quant"]) || truth((functions_rank(a["self"]) > Value(1LL)))); }
inline Value rule_112(const Arguments& a) { (void)a; return Value(truth((a["running_min"] == (truth(a["per_row_fake_quant"]) ? Value::list({functions_size(a["self"], a["ch_axis"])}) : Value::list({Value(1LL)})))) && truth((a["running_max"] == a["running_min"])) && truth((a["scale"] == a["running_min"])) && truth((a["zero_point"] == a["running_min"]))); }
inline Value rule_113(const Arguments& a) { (void)a; return (slice(a["input"], Value(), (functions_rank(a["input"]) - functions_rank(a["normalized_shape"]))) + functions_fill(functions_rank(a["normalized_shape"]), Value(1LL))); }
inline Value rule_114(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["normalized_shape"]) > Value(0LL))) && truth((functions_rank(a["input"]) >= functions_rank(a["normalized_shape"]))) && truth((slice(a["input"], (functions_rank(a["input"]) - functions_rank(a["normalized_shape"])), Value()) == a["normalized_shape"]))); }
inline Value rule_115(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == a["normalized_shape"]))); }
inline Value rule_116(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(0LL))) ? a["input"] : functions_absent()); }
inline Value rule_117(const Arguments& a) { (void)a; return ((truth(at(a["output_mask"], Value(1LL))) && truth(predicates_given(a["weight"]))) ? a["weight"] : functions_absent()); }
inline Value rule_118(const Arguments& a) { (void)a; return (a["grad_out"] == a["input"]); }
inline Value rule_119(const Arguments& a) { (void)a; return (a["rstd"] == (slice(a["input"], Value(), (functions_rank(a["input"]) - functions_rank(a["normalized_shape"]))) + functions_fill(functions_rank(a["normalized_shape"]), Value(1LL)))); }
inline Value rule_120(const Arguments& a) { (void)a; return indexing_indexes(a["self"], a["indices"], a.dtype("indices")); }
inline Value rule_121(const Arguments& a) { (void)a; return predicates_expandable(a["values"], indexing_index(a["self"], a["indices"], a.dtype("indices"))); }
inline Value rule_122(const Arguments& a) { (void)a; return slice(a["A"], Value(), (-Value(2LL))); }
inline Value rule_123(const Arguments& a) { (void)a; return a["A"]; }
inline Value rule_124(const Arguments& a) { (void)a; return slice(a["A"], Value(), (-Value(1LL))); }
inline Value rule_125(const Arguments& a) { (void)a; return (truth(a["compute_v"]) ? a["A"] : Value::list({Value(0LL)})); }
inline Value rule_126(const Arguments& a) { (void)a; return Value(truth((a["UPLO"] == Value("L"))) || truth((a["UPLO"] == Value("U"))) || truth((a["UPLO"] == Value("l"))) || truth((a["UPLO"] == Value("u")))); }
inline Value rule_127(const Arguments& a) { (void)a; return slice(a["self"], Value(), (-Value(1LL))); }
inline Value rule_128(const Arguments& a) { (void)a; return matrices_is_square(a["self"]); }
inline Value rule_129(const Arguments& a) { (void)a; return (truth(matrices_is_vector_beside(a["B"], a["A"])) ? (indexing_broadcast(Value::list({slice(a["A"], Value(), (-Value(2LL))), slice(a["B"], Value(), (-Value(1LL)))})) + Value::list({at(a["A"], (-Value(1LL)))})) : (indexing_broadcast(Value::list({slice(a["A"], Value(), (-Value(2LL))), slice(a["B"], Value(), (-Value(2LL)))})) + slice(a["B"], (-Value(2LL)), Value()))); }
inline Value rule_130(const Arguments& a) { (void)a; return (truth(matrices_is_vector_beside(a["B"], a["A"])) ? Value(truth(a["left"]) && truth((at(a["B"], (-Value(1LL))) == at(a["A"], (-Value(1LL)))))) : ((truth(a["left"]) ? at(a["B"], (-Value(2LL))) : at(a["B"], (-Value(1LL)))) == at(a["A"], (-Value(1LL))))); }
inline Value rule_131(const Arguments& a) { (void)a; return Value(!truth(a["check_errors"])); }
inline Value rule_132(const Arguments& a) { (void)a; return (!truth(a["compute_uv"]) ? Value::list({Value(0LL)}) : (slice(a["A"], Value(), (-Value(1LL))) + Value::list({(truth(a["full_matrices"]) ? at(a["A"], (-Value(2LL))) : matrices_shorter_side(a["A"]))}))); }
inline Value rule_133(const Arguments& a) { (void)a; return (slice(a["A"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["A"])})); }
inline Value rule_134(const Arguments& a) { (void)a; return (!truth(a["compute_uv"]) ? Value::list({Value(0LL)}) : (slice(a["A"], Value(), (-Value(2LL))) + Value::list({(truth(a["full_matrices"]) ? at(a["A"], (-Value(1LL))) : matrices_shorter_side(a["A"])), at(a["A"], (-Value(1LL)))}))); }
inline Value rule_135(const Arguments& a) { (void)a; return (functions_rank(a["A"]) >= Value(2LL)); }
inline Value rule_136(const Arguments& a) { (void)a; return Value::list({}); }
inline Value rule_137(const Arguments& a) { (void)a; return predicates_in_range(a["dim"], functions_rank(a["self"])); }
inline Value rule_138(const Arguments& a) { (void)a; return Value(!truth(a["half_to_float"]) || truth((a.dtype("self") == Value("float16"))) || truth((a.dtype("self") == Value("bfloat16")))); }
inline Value rule_139(const Arguments& a) { (void)a; return a["output"]; }
inline Value rule_140(const Arguments& a) { (void)a; return predicates_in_range(a["dim"], functions_rank(a["output"])); }
inline Value rule_141(const Arguments& a) { (void)a; return (a["grad_output"] == a["output"]); }
inline Value rule_142(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dim"])) || truth(predicates_in_range(a["dim"], functions_rank(a["self"])))); }
inline Value rule_143(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["mask_type"])) || (truth((Value(0LL) <= a["mask_type"])) && truth((a["mask_type"] <= Value(2LL))))); }
inline Value rule_144(const Arguments& a) { (void)a; return (a["mask"] == (truth((a["mask_type"] == Value(0LL))) ? Value::list({at(a["self"], Value(2LL)), at(a["self"], Value(3LL))}) : (truth((a["mask_type"] == Value(1LL))) ? Value::list({at(a["self"], Value(0LL)), at(a["self"], Value(3LL))}) : a["self"]))); }
inline Value rule_145(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["mask_type"])) || truth((a["mask_type"] == Value(2LL))) || truth((functions_rank(a["self"]) == Value(4LL)))); }
inline Value rule_146(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dim"])) || truth(predicates_in_range(a["dim"], functions_rank(a["output"])))); }
inline Value rule_147(const Arguments& a) { (void)a; return Value(truth((a["grad_output"] == a["output"])) && truth((a["mask"] == a["output"]))); }
inline Value rule_148(const Arguments& a) { (void)a; return a["training"]; }
inline Value rule_149(const Arguments& a) { (void)a; return (truth(a["training"]) ? slice(a["input"], Value(1LL), Value(2LL)) : Value::list({Value(0LL)})); }
inline Value rule_150(const Arguments& a) { (void)a; return (slice(a["self"], Value(), a["self_num_batch_dims"]) + a["other"]); }
inline Value rule_151(const Arguments& a) { (void)a; return Value(truth((a["self_num_batch_dims"] >= Value(0LL))) && truth((a["self_num_batch_dims"] <= functions_rank(a["self"])))); }
inline Value rule_152(const Arguments& a) { (void)a; return (functions_rank(a["self"]) == Value(2LL)); }
inline Value rule_153(const Arguments& a) { (void)a; return Value(truth((a["grad"] == Value::list({floordiv((at(a["self"], Value(0LL)) * (at(a["self"], Value(0LL)) - Value(1LL))), Value(2LL))}))) && truth((a["pdist"] == a["grad"]))); }
inline Value rule_154(const Arguments& a) { (void)a; return Value::list({floordiv((at(a["self"], Value(0LL)) * (at(a["self"], Value(0LL)) - Value(1LL))), Value(2LL))}); }
inline Value rule_155(const Arguments& a) { (void)a; return predicates_expandable(a["weight"], a["self"]); }
inline Value rule_156(const Arguments& a) { (void)a; return (a["grad_output"] == a["self"]); }
inline Value rule_157(const Arguments& a) { (void)a; return (functions_numel(a["self"]) == functions_numel(a["size"])); }
inline Value rule_158(const Arguments& a) { (void)a; return (functions_rank(a["size"]) == functions_rank(a["stride"])); }
inline Value rule_159(const Arguments& a) { (void)a; return functions_view(a["self"], a["size"]); }
inline Value rule_160(const Arguments& a) { (void)a; return (functions_rank(a["self"]) > Value(0LL)); }
inline Value rule_161(const Arguments& a) { (void)a; return a["query"]; }
inline Value rule_162(const Arguments& a) { (void)a; return slice(a["query"], Value(), Value(3LL)); }
inline Value rule_163(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["query"]) == Value(4LL))) && truth((functions_rank(a["key"]) == Value(4LL))) && truth((a["key"] == a["value"]))); }
inline Value rule_164(const Arguments& a) { (void)a; return Value(truth((at(a["query"], Value(0LL)) == at(a["key"], Value(0LL)))) && truth((at(a["query"], Value(3LL)) == at(a["key"], Value(3LL))))); }
inline Value rule_165(const Arguments& a) { (void)a; return Value(truth((at(a["key"], Value(1LL)) > Value(0LL))) && truth(((at(a["query"], Value(1LL)) % at(a["key"], Value(1LL))) == Value(0LL)))); }
inline Value rule_166(const Arguments& a) { (void)a; return (a["dropout_p"] == Value(0LL)); }
inline Value rule_167(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["query"]) > Value(0LL))) && truth((functions_numel(a["key"]) > Value(0LL)))); }
inline Value rule_168(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["attn_mask"])) || ((truth((functions_rank(a["attn_mask"]) == Value(2LL))) || truth((functions_rank(a["attn_mask"]) == Value(4LL)))) && truth(predicates_expandable(a["attn_mask"], Value::list({at(a["query"], Value(0LL)), at(a["query"], Value(1LL)), at(a["query"], Value(2LL)), at(a["key"], Value(2LL))}))))); }
inline Value rule_169(const Arguments& a) { (void)a; return a["key"]; }
inline Value rule_170(const Arguments& a) { (void)a; return a["value"]; }
inline Value rule_171(const Arguments& a) { (void)a; return Value(truth((a["grad_out"] == a["query"])) && truth((a["out"] == a["query"]))); }
inline Value rule_172(const Arguments& a) { (void)a; return (a["logsumexp"] == slice(a["query"], Value(), Value(3LL))); }
inline Value rule_173(const Arguments& a) { (void)a; return functions_stack(a["tensors"], a["dim"]); }
inline Value rule_174(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["output"]})); }
inline Value rule_175(const Arguments& a) { (void)a; return (truth((length(a["sumdim"]) == Value(0LL))) ? indexing_broadcast(Value::list({matrices_with_ones(a["i1"], a["expand1"]), matrices_with_ones(a["i2"], a["expand2"]), matrices_with_ones(a["i3"], a["expand3"])})) : functions_reduce(indexing_broadcast(Value::list({matrices_with_ones(a["i1"], a["expand1"]), matrices_with_ones(a["i2"], a["expand2"]), matrices_with_ones(a["i3"], a["expand3"])})), a["sumdim"], Value(false))); }
inline Value rule_176(const Arguments& a) { (void)a; return Value(truth(((functions_rank(a["i1"]) + length(a["expand1"])) == (functions_rank(a["i2"]) + length(a["expand2"])))) && truth(((functions_rank(a["i1"]) + length(a["expand1"])) == (functions_rank(a["i3"]) + length(a["expand3"]))))); }
inline Value rule_177(const Arguments& a) { (void)a; return Value(truth((a["unroll_dim"] >= Value(0LL))) && truth((a["unroll_dim"] < (functions_rank(a["i1"]) + length(a["expand1"]))))); }
inline Value rule_178(const Arguments& a) { (void)a; return indexing_index(a["self"], a["indices"], a.dtype("indices")); }
inline Value rule_179(const Arguments& a) { (void)a; return predicates_expandable(a["mask"], indexing_index(a["self"], a["indices"], a.dtype("indices"))); }
inline Value rule_180(const Arguments& a) { (void)a; return (slice(a["self"], Value(), Value(2LL)) + a["output_size"]); }
inline Value rule_181(const Arguments& a) { (void)a; return (functions_rank(a["self"]) == Value(4LL)); }
inline Value rule_182(const Arguments& a) { (void)a; return (functions_numel(slice(a["self"], Value(1LL), Value())) > Value(0LL)); }
inline Value rule_183(const Arguments& a) { (void)a; return a["input_size"]; }
inline Value rule_184(const Arguments& a) { (void)a; return (functions_rank(a["grad_output"]) == Value(4LL)); }
inline Value rule_185(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["input_size"], Value(), Value(2LL)) + a["output_size"])); }
inline Value rule_186(const Arguments& a) { (void)a; return (functions_numel(slice(a["input_size"], Value(1LL), Value())) > Value(0LL)); }
inline Value rule_187(const Arguments& a) { (void)a; return (functions_rank(a["self"]) == Value(3LL)); }
inline Value rule_188(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["output_size"]) == Value(1LL))) && truth((fold_min(Value::list({a["output_size"]})) > Value(0LL)))); }
inline Value rule_189(const Arguments& a) { (void)a; return (functions_rank(a["grad_output"]) == Value(3LL)); }
inline Value rule_190(const Arguments& a) { (void)a; return (functions_rank(a["self"]) == Value(5LL)); }
inline Value rule_191(const Arguments& a) { (void)a; return (functions_rank(a["grad_output"]) == Value(5LL)); }
inline Value rule_192(const Arguments& a) { (void)a; return a["v"]; }
inline Value rule_193(const Arguments& a) { (void)a; return a["g"]; }
inline Value rule_194(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["v"]) > Value(0LL))) && (truth((a["dim"] == Value(0LL))) || truth((a["dim"] == (functions_rank(a["v"]) - Value(1LL)))))); }
inline Value rule_195(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["g"]) == at(a["v"], a["dim"]))) && truth((functions_rank(a["g"]) == functions_rank(a["v"])))); }
inline Value rule_196(const Arguments& a) { (void)a; return a["saved_v"]; }
inline Value rule_197(const Arguments& a) { (void)a; return a["saved_g"]; }
inline Value rule_198(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["saved_v"]) > Value(0LL))) && (truth((a["dim"] == Value(0LL))) || truth((a["dim"] == (functions_rank(a["saved_v"]) - Value(1LL)))))); }
inline Value rule_199(const Arguments& a) { (void)a; return (a["grad_w"] == a["saved_v"]); }
inline Value rule_200(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["saved_g"]) == at(a["saved_v"], a["dim"]))) && truth((functions_rank(a["saved_g"]) == functions_rank(a["saved_v"])))); }
inline Value rule_201(const Arguments& a) { (void)a; return (a["saved_norms"] == a["saved_g"]); }
inline Value rule_202(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL))) + slice(a["grad_output"], (functions_rank(a["self"]) - Value(2LL)), Value()))); }
inline Value rule_203(const Arguments& a) { (void)a; return (a["indices"] == a["grad_output"]); }
inline Value rule_204(const Arguments& a) { (void)a; return (functions_numel(slice(a["self"], (functions_rank(a["self"]) - Value(4LL)), Value())) > Value(0LL)); }
inline Value rule_205(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + slice(a["grad_output"], (functions_rank(a["self"]) - Value(3LL)), Value()))); }
inline Value rule_206(const Arguments& a) { (void)a; return Value::list({at(a["batch1"], Value(1LL)), at(a["batch2"], Value(2LL))}); }
inline Value rule_207(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["batch1"]) == Value(3LL))) && truth((functions_rank(a["batch2"]) == Value(3LL)))); }
inline Value rule_208(const Arguments& a) { (void)a; return Value(truth((at(a["batch1"], Value(0LL)) == at(a["batch2"], Value(0LL)))) && truth((at(a["batch1"], Value(2LL)) == at(a["batch2"], Value(1LL))))); }
inline Value rule_209(const Arguments& a) { (void)a; return predicates_expandable(a["self"], Value::list({at(a["batch1"], Value(1LL)), at(a["batch2"], Value(2LL))})); }
inline Value rule_210(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["tensor1"], a["tensor2"]})); }
inline Value rule_211(const Arguments& a) { (void)a; return Value(truth((a["out_dtype"] == Value("float32"))) || truth((a["out_dtype"] == a.dtype("mat1")))); }
inline Value rule_212(const Arguments& a) { (void)a; return Value(truth(predicates_whole(Value::list({a["beta"], a["alpha"]}))) || !truth(predicates_integral(a.dtype("mat1")))); }
inline Value rule_213(const Arguments& a) { (void)a; return Value::list({at(a["mat"], Value(0LL))}); }
inline Value rule_214(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["mat"]) == Value(2LL))) && truth((functions_rank(a["vec"]) == Value(1LL)))); }
inline Value rule_215(const Arguments& a) { (void)a; return (at(a["mat"], Value(1LL)) == at(a["vec"], Value(0LL))); }
inline Value rule_216(const Arguments& a) { (void)a; return predicates_expandable(a["self"], Value::list({at(a["mat"], Value(0LL))})); }
inline Value rule_217(const Arguments& a) { (void)a; return Value::list({at(a["vec1"], Value(0LL)), at(a["vec2"], Value(0LL))}); }
inline Value rule_218(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["vec1"]) == Value(1LL))) && truth((functions_rank(a["vec2"]) == Value(1LL)))); }
inline Value rule_219(const Arguments& a) { (void)a; return predicates_expandable(a["self"], Value::list({at(a["vec1"], Value(0LL)), at(a["vec2"], Value(0LL))})); }
inline Value rule_220(const Arguments& a) { (void)a; return Value(truth((a["rtol"] >= Value(0LL))) && truth((a["atol"] >= Value(0LL)))); }
inline Value rule_221(const Arguments& a) { (void)a; return functions_arange(Value(0LL), a["end"], Value(1LL)); }
inline Value rule_222(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || truth(predicates_floating(a["dtype"])) || truth(predicates_whole(Value::list({a["end"]})))); }
inline Value rule_223(const Arguments& a) { (void)a; return functions_arange(a["start"], a["end"], Value(1LL)); }
inline Value rule_224(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || truth(predicates_floating(a["dtype"])) || truth(predicates_whole(Value::list({a["start"], a["end"]})))); }
inline Value rule_225(const Arguments& a) { (void)a; return functions_arange(a["start"], a["end"], a["step"]); }
inline Value rule_226(const Arguments& a) { (void)a; return (a["step"] != Value(0LL)); }
inline Value rule_227(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["self"]) > Value(0LL))) || truth(predicates_given(a["dim"]))); }
inline Value rule_228(const Arguments& a) { (void)a; return predicates_fits_storage(a["size"], a["stride"], a["storage_offset"], functions_numel(a["self"])); }
inline Value rule_229(const Arguments& a) { (void)a; return (a["src"] == a["size"]); }
inline Value rule_230(const Arguments& a) { (void)a; return functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], Value(1LL), a["ceil_mode"], Value(2LL)); }
inline Value rule_231(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["kernel_size"]) == Value(1LL))) || truth((functions_rank(a["kernel_size"]) == Value(2LL)))) && truth((fold_min(Value::list({a["kernel_size"]})) > Value(0LL)))); }
inline Value rule_232(const Arguments& a) { (void)a; return ((Value(2LL) * fold_max(Value::list({a["padding"]}))) <= fold_max(Value::list({a["kernel_size"]}))); }
inline Value rule_233(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["divisor_override"])) || truth((a["divisor_override"] != Value(0LL)))); }
inline Value rule_234(const Arguments& a) { (void)a; return (a["grad_output"] == functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], Value(1LL), a["ceil_mode"], Value(2LL))); }
inline Value rule_235(const Arguments& a) { (void)a; return functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], Value(1LL), a["ceil_mode"], Value(3LL)); }
inline Value rule_236(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["kernel_size"]) == Value(1LL))) || truth((functions_rank(a["kernel_size"]) == Value(3LL)))) && truth((fold_min(Value::list({a["kernel_size"]})) > Value(0LL)))); }
inline Value rule_237(const Arguments& a) { (void)a; return (a["grad_output"] == functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], Value(1LL), a["ceil_mode"], Value(3LL))); }
inline Value rule_238(const Arguments& a) { (void)a; return Value::list({at(a["batch1"], Value(0LL)), at(a["batch1"], Value(1LL)), at(a["batch2"], Value(2LL))}); }
inline Value rule_239(const Arguments& a) { (void)a; return predicates_expandable(a["self"], Value::list({at(a["batch1"], Value(0LL)), at(a["batch1"], Value(1LL)), at(a["batch2"], Value(2LL))})); }
inline Value rule_240(const Arguments& a) { (void)a; return Value(truth((a["out_dtype"] == Value("float32"))) || truth((a["out_dtype"] == a.dtype("batch1")))); }
inline Value rule_241(const Arguments& a) { (void)a; return Value(truth(predicates_whole(Value::list({a["beta"], a["alpha"]}))) || !truth(predicates_integral(a.dtype("batch1")))); }
inline Value rule_242(const Arguments& a) { (void)a; return Value::list({a["window_length"]}); }
inline Value rule_243(const Arguments& a) { (void)a; return (a["window_length"] >= Value(0LL)); }
inline Value rule_244(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || truth(predicates_floating(a["dtype"]))); }
inline Value rule_245(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(1LL))) ? slice(a["input"], Value(1LL), Value(2LL)) : functions_absent()); }
inline Value rule_246(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(2LL))) ? slice(a["input"], Value(1LL), Value(2LL)) : functions_absent()); }
inline Value rule_247(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) >= Value(2LL))) && truth((functions_numel(a["input"]) > Value(0LL)))); }
inline Value rule_248(const Arguments& a) { (void)a; return Value(!truth(a["update"]) || (truth(predicates_given(a["save_mean"])) && truth(predicates_given(a["save_var"])) && truth((a["save_mean"] == slice(a["input"], Value(1LL), Value(2LL)))))); }
inline Value rule_249(const Arguments& a) { (void)a; return Value(truth(a["update"]) || (truth(predicates_given(a["running_mean"])) && truth(predicates_given(a["running_var"])) && truth((a["running_mean"] == slice(a["input"], Value(1LL), Value(2LL)))))); }
inline Value rule_250(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["running_mean"])) && !truth(predicates_given(a["running_var"]))); }
inline Value rule_251(const Arguments& a) { (void)a; return predicates_expandable(a["p"], a["self"]); }
inline Value rule_252(const Arguments& a) { (void)a; return Value(truth((a["p"] >= Value(0LL))) && truth((a["p"] <= Value(1LL)))); }
inline Value rule_253(const Arguments& a) { (void)a; return (truth((a["reduction"] == Value(0LL))) ? a["self"] : Value::list({})); }
inline Value rule_254(const Arguments& a) { (void)a; return (a["self"] == a["target"]); }
inline Value rule_255(const Arguments& a) { (void)a; return Value(truth((Value(0LL) <= a["reduction"])) && truth((a["reduction"] <= Value(2LL)))); }
inline Value rule_256(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth(predicates_expandable(a["weight"], a["self"]))); }
inline Value rule_257(const Arguments& a) { (void)a; return Value(truth((a["grad_output"] == (truth((a["reduction"] == Value(0LL))) ? a["self"] : Value::list({})))) || truth((functions_numel(a["grad_output"]) == Value(1LL)))); }
inline Value rule_258(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["pos_weight"])) || truth(predicates_expandable(a["pos_weight"], a["self"]))); }
inline Value rule_259(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["count"], a["prob"]})); }
inline Value rule_260(const Arguments& a) { (void)a; return a["other"]; }
inline Value rule_261(const Arguments& a) { (void)a; return matrices_block_diagonal(a["tensors"]); }
inline Value rule_262(const Arguments& a) { (void)a; return Value::list({at(a["self"], Value(0LL)), at(a["self"], Value(1LL)), at(a["mat2"], Value(2LL))}); }
inline Value rule_263(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(3LL))) && truth((functions_rank(a["mat2"]) == Value(3LL)))); }
inline Value rule_264(const Arguments& a) { (void)a; return Value(truth((at(a["self"], Value(0LL)) == at(a["mat2"], Value(0LL)))) && truth((at(a["self"], Value(2LL)) == at(a["mat2"], Value(1LL))))); }
inline Value rule_265(const Arguments& a) { (void)a; return Value(truth((a["out_dtype"] == Value("float32"))) || truth((a["out_dtype"] == a.dtype("self")))); }
inline Value rule_266(const Arguments& a) { (void)a; return (functions_rank(a["boundaries"]) == Value(1LL)); }
inline Value rule_267(const Arguments& a) { (void)a; return functions_cat(a["tensors"], a["dim"]); }
inline Value rule_268(const Arguments& a) { (void)a; return (a["sigma"] > Value(0LL)); }
inline Value rule_269(const Arguments& a) { (void)a; return (functions_rank(a["self"]) >= Value(3LL)); }
inline Value rule_270(const Arguments& a) { (void)a; return Value(truth((a["groups"] > Value(0LL))) && truth(((at(a["self"], Value(1LL)) % a["groups"]) == Value(0LL)))); }
inline Value rule_271(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["input2"], Value(), (-Value(2LL))), slice(a["self"], Value(), (-Value(2LL)))})) + slice(a["self"], (-Value(2LL)), Value())); }
inline Value rule_272(const Arguments& a) { (void)a; return matrices_is_square(a["input2"]); }
inline Value rule_273(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) >= Value(2LL))) && truth((at(a["self"], (-Value(2LL))) == at(a["input2"], (-Value(1LL)))))); }
inline Value rule_274(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["min"], a["max"]})); }
inline Value rule_275(const Arguments& a) { (void)a; return Value(truth(predicates_given(a["min"])) || truth(predicates_given(a["max"]))); }
inline Value rule_276(const Arguments& a) { (void)a; return Value(!(truth((a.dtype("self") == Value("bool"))) && truth((a.dtype("min") == Value("bool"))) && truth((a.dtype("max") == Value("bool"))))); }
inline Value rule_277(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["max"]})); }
inline Value rule_278(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["min"]})); }
inline Value rule_279(const Arguments& a) { (void)a; return ((slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL))) + Value::list({floordiv(functions_size(a["self"], (-Value(2LL))), (at(a["kernel_size"], Value(0LL)) * at(a["kernel_size"], Value(1LL))))})) + a["output_size"]); }
inline Value rule_280(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) || truth((functions_rank(a["self"]) == Value(3LL)))); }
inline Value rule_281(const Arguments& a) { (void)a; return (functions_rank(a["output_size"]) == Value(2LL)); }
inline Value rule_282(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["kernel_size"]) == Value(2LL))) && truth((functions_rank(a["dilation"]) == Value(2LL))) && truth((functions_rank(a["padding"]) == Value(2LL))) && truth((functions_rank(a["stride"]) == Value(2LL)))); }
inline Value rule_283(const Arguments& a) { (void)a; return Value(truth((fold_min(Value::list({a["kernel_size"]})) > Value(0LL))) && truth((fold_min(Value::list({a["dilation"]})) > Value(0LL))) && truth((fold_min(Value::list({a["stride"]})) > Value(0LL))) && truth((fold_min(Value::list({a["padding"]})) >= Value(0LL)))); }
inline Value rule_284(const Arguments& a) { (void)a; return ((functions_size(a["self"], (-Value(2LL))) % (at(a["kernel_size"], Value(0LL)) * at(a["kernel_size"], Value(1LL)))) == Value(0LL)); }
inline Value rule_285(const Arguments& a) { (void)a; return (functions_size(a["self"], (-Value(2LL))) > Value(0LL)); }
inline Value rule_286(const Arguments& a) { (void)a; return Value(truth((functions_conv_out(at(a["output_size"], Value(0LL)), at(a["kernel_size"], Value(0LL)), at(a["stride"], Value(0LL)), at(a["padding"], Value(0LL)), at(a["dilation"], Value(0LL))) > Value(0LL))) && truth((functions_conv_out(at(a["output_size"], Value(1LL)), at(a["kernel_size"], Value(1LL)), at(a["stride"], Value(1LL)), at(a["padding"], Value(1LL)), at(a["dilation"], Value(1LL))) > Value(0LL)))); }
inline Value rule_287(const Arguments& a) { (void)a; return (functions_size(a["self"], (-Value(1LL))) == (functions_conv_out(at(a["output_size"], Value(0LL)), at(a["kernel_size"], Value(0LL)), at(a["stride"], Value(0LL)), at(a["padding"], Value(0LL)), at(a["dilation"], Value(0LL))) * functions_conv_out(at(a["output_size"], Value(1LL)), at(a["kernel_size"], Value(1LL)), at(a["stride"], Value(1LL)), at(a["padding"], Value(1LL)), at(a["dilation"], Value(1LL))))); }
inline Value rule_288(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["real"], a["imag"]})); }
inline Value rule_289(const Arguments& a) { (void)a; return functions_pad(a["self"], a["pad"]); }
inline Value rule_290(const Arguments& a) { (void)a; return functions_conv(a["input"], a["weight"], a["stride"], a["padding"], a["dilation"], a["transposed"], a["output_padding"], a["groups"]); }
inline Value rule_291(const Arguments& a) { (void)a; return Value(truth((Value(3LL) <= functions_rank(a["weight"]))) && truth((functions_rank(a["weight"]) <= Value(5LL))) && (truth((functions_rank(a["input"]) == functions_rank(a["weight"]))) || truth((functions_rank(a["input"]) == (functions_rank(a["weight"]) - Value(1LL)))))); }
inline Value rule_292(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["stride"]) == Value(1LL))) || truth((functions_rank(a["stride"]) == (functions_rank(a["weight"]) - Value(2LL))))) && (truth((functions_rank(a["padding"]) == Value(1LL))) || truth((functions_rank(a["padding"]) == (functions_rank(a["weight"]) - Value(2LL))))) && (truth((functions_rank(a["dilation"]) == Value(1LL))) || truth((functions_rank(a["dilation"]) == (functions_rank(a["weight"]) - Value(2LL)))))); }
inline Value rule_293(const Arguments& a) { (void)a; return Value(truth((a["groups"] > Value(0LL))) && truth(((at(a["weight"], Value(0LL)) % a["groups"]) == Value(0LL)))); }
inline Value rule_294(const Arguments& a) { (void)a; return (functions_size(a["input"], ((functions_rank(a["input"]) - Value(1LL)) - (functions_rank(a["weight"]) - Value(2LL)))) == (truth(a["transposed"]) ? at(a["weight"], Value(0LL)) : (at(a["weight"], Value(1LL)) * a["groups"]))); }
inline Value rule_295(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["weight"]) > Value(0LL))) && truth((fold_min(Value::list({slice(functions_conv(a["input"], a["weight"], a["stride"], a["padding"], a["dilation"], a["transposed"], a["output_padding"], a["groups"]), (functions_rank(a["input"]) - (functions_rank(a["weight"]) - Value(2LL))), Value())})) > Value(0LL)))); }
inline Value rule_296(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == Value::list({(truth(a["transposed"]) ? (at(a["weight"], Value(1LL)) * a["groups"]) : at(a["weight"], Value(0LL)))})))); }
inline Value rule_297(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(1LL))) ? a["weight"] : functions_absent()); }
inline Value rule_298(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(2LL))) ? Value::list({(truth(a["transposed"]) ? (at(a["weight"], Value(1LL)) * a["groups"]) : at(a["weight"], Value(0LL)))}) : functions_absent()); }
inline Value rule_299(const Arguments& a) { (void)a; return (functions_rank(a["input"]) == functions_rank(a["weight"])); }
inline Value rule_300(const Arguments& a) { (void)a; return (a["grad_output"] == functions_conv(a["input"], a["weight"], a["stride"], a["padding"], a["dilation"], a["transposed"], a["output_padding"], a["groups"])); }
inline Value rule_301(const Arguments& a) { (void)a; return predicates_expandable(a["src"], a["self"]); }
inline Value rule_302(const Arguments& a) { (void)a; return functions_reduce(a["self"], a["dim"], Value(false)); }
inline Value rule_303(const Arguments& a) { (void)a; return indexing_diag_embed(a["self"], a["offset"], a["dim1"], a["dim2"]); }
inline Value rule_304(const Arguments& a) { (void)a; return predicates_distinct(Value::list({a["dim1"], a["dim2"]}), (functions_rank(a["self"]) + Value(1LL))); }
inline Value rule_305(const Arguments& a) { (void)a; return functions_diagonal(a["self"], a["offset"], a["dim1"], a["dim2"]); }
inline Value rule_306(const Arguments& a) { (void)a; return Value(truth(predicates_distinct(Value::list({a["dim1"], a["dim2"]}), functions_rank(a["self"]))) && truth((functions_rank(a["self"]) > Value(1LL)))); }
inline Value rule_307(const Arguments& a) { (void)a; return a["input_sizes"]; }
inline Value rule_308(const Arguments& a) { (void)a; return predicates_distinct(Value::list({a["dim1"], a["dim2"]}), functions_rank(a["input_sizes"])); }
inline Value rule_309(const Arguments& a) { (void)a; return (a["grad_output"] == functions_diagonal(a["input_sizes"], a["offset"], a["dim1"], a["dim2"])); }
inline Value rule_310(const Arguments& a) { (void)a; return (a["src"] == functions_diagonal(a["self"], a["offset"], a["dim1"], a["dim2"])); }
inline Value rule_311(const Arguments& a) { (void)a; return Value(truth((a["rounding_mode"] == Value("trunc"))) || truth((a["rounding_mode"] == Value("floor")))); }
inline Value rule_312(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(1LL))) && truth((functions_rank(a["tensor"]) == Value(1LL)))); }
inline Value rule_313(const Arguments& a) { (void)a; return (at(a["self"], Value(0LL)) == at(a["tensor"], Value(0LL))); }
inline Value rule_314(const Arguments& a) { (void)a; return a["grad_output"]; }
inline Value rule_315(const Arguments& a) { (void)a; return (a["grad_output"] == a["self_or_result"]); }
inline Value rule_316(const Arguments& a) { (void)a; return (a["indices"] + Value::list({at(a["weight"], Value(1LL))})); }
inline Value rule_317(const Arguments& a) { (void)a; return (functions_rank(a["weight"]) == Value(2LL)); }
inline Value rule_318(const Arguments& a) { (void)a; return Value(!truth(a["sparse"])); }
inline Value rule_319(const Arguments& a) { (void)a; return Value::list({a["num_weights"], functions_size(a["grad_output"], (functions_rank(a["grad_output"]) - Value(1LL)))}); }
inline Value rule_320(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["grad_output"]) == (functions_rank(a["indices"]) + Value(1LL)))) && truth((slice(a["grad_output"], Value(), (-Value(1LL))) == a["indices"]))); }
inline Value rule_321(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["size"]) == functions_rank(a["physical_layout"]))) && truth(predicates_distinct(a["physical_layout"], functions_rank(a["size"])))); }
inline Value rule_322(const Arguments& a) { (void)a; return (functions_rank(a["self"]) == functions_rank(a["other"])); }
inline Value rule_323(const Arguments& a) { (void)a; return functions_expand(a["self"], a["size"]); }
inline Value rule_324(const Arguments& a) { (void)a; return (a["lambd"] > Value(0LL)); }
inline Value rule_325(const Arguments& a) { (void)a; return Value::list({a["n"], a["n"]}); }
inline Value rule_326(const Arguments& a) { (void)a; return Value::list({a["n"], a["m"]}); }
inline Value rule_327(const Arguments& a) { (void)a; return Value(truth((a["zero_point"] >= a["quant_min"])) && truth((a["zero_point"] <= a["quant_max"]))); }
inline Value rule_328(const Arguments& a) { (void)a; return Value::list({a["n"]}); }
inline Value rule_329(const Arguments& a) { (void)a; return (a["n"] >= Value(1LL)); }
inline Value rule_330(const Arguments& a) { (void)a; return Value::list({(floordiv(a["n"], Value(2LL)) + Value(1LL))}); }
inline Value rule_331(const Arguments& a) { (void)a; return (functions_rank(a["value"]) == Value(0LL)); }
inline Value rule_332(const Arguments& a) { (void)a; return predicates_distinct(a["dims"], functions_rank(a["self"])); }
inline Value rule_333(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["kernel_size"]) == Value(2LL))) && truth((functions_rank(a["output_size"]) == Value(2LL))) && truth((fold_min(Value::list({a["kernel_size"]})) > Value(0LL))) && truth((fold_min(Value::list({a["output_size"]})) > Value(0LL)))); }
inline Value rule_334(const Arguments& a) { (void)a; return Value(truth((((at(a["output_size"], Value(0LL)) + at(a["kernel_size"], Value(0LL))) - Value(1LL)) <= at(a["self"], (functions_rank(a["self"]) - Value(2LL))))) && truth((((at(a["output_size"], Value(1LL)) + at(a["kernel_size"], Value(1LL))) - Value(1LL)) <= at(a["self"], (functions_rank(a["self"]) - Value(1LL)))))); }
inline Value rule_335(const Arguments& a) { (void)a; return (truth((functions_rank(a["self"]) == Value(3LL))) ? (a["random_samples"] == (slice((Value::list({Value(1LL)}) + a["self"]), Value(), Value(2LL)) + Value::list({Value(2LL)}))) : (a["random_samples"] == (slice(a["self"], Value(), Value(2LL)) + Value::list({Value(2LL)})))); }
inline Value rule_336(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL))) + a["output_size"])); }
inline Value rule_337(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["kernel_size"]) == Value(3LL))) && truth((functions_rank(a["output_size"]) == Value(3LL))) && truth((fold_min(Value::list({a["kernel_size"]})) > Value(0LL))) && truth((fold_min(Value::list({a["output_size"]})) > Value(0LL)))); }
inline Value rule_338(const Arguments& a) { (void)a; return Value(truth((((at(a["output_size"], Value(0LL)) + at(a["kernel_size"], Value(0LL))) - Value(1LL)) < at(a["self"], (functions_rank(a["self"]) - Value(3LL))))) && truth((((at(a["output_size"], Value(1LL)) + at(a["kernel_size"], Value(1LL))) - Value(1LL)) < at(a["self"], (functions_rank(a["self"]) - Value(2LL))))) && truth((((at(a["output_size"], Value(2LL)) + at(a["kernel_size"], Value(2LL))) - Value(1LL)) < at(a["self"], (functions_rank(a["self"]) - Value(1LL)))))); }
inline Value rule_339(const Arguments& a) { (void)a; return (truth((functions_rank(a["self"]) == Value(4LL))) ? (a["random_samples"] == (slice((Value::list({Value(1LL)}) + a["self"]), Value(), Value(2LL)) + Value::list({Value(3LL)}))) : (a["random_samples"] == (slice(a["self"], Value(), Value(2LL)) + Value::list({Value(3LL)})))); }
inline Value rule_340(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + a["output_size"])); }
inline Value rule_341(const Arguments& a) { (void)a; return a["index"]; }
inline Value rule_342(const Arguments& a) { (void)a; return Value(truth((fold_max(Value::list({functions_rank(a["index"]), Value(1LL)})) == fold_max(Value::list({functions_rank(a["self"]), Value(1LL)})))) || truth((functions_numel(a["index"]) == Value(0LL)))); }
inline Value rule_343(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["index"]) == Value(0LL))) || truth((functions_rank(a["index"]) == Value(0LL))) || truth((functions_rank(a["self"]) == Value(0LL))) || truth(predicates_within(a["index"], a["self"], a["dim"]))); }
inline Value rule_344(const Arguments& a) { (void)a; return Value(truth((a["p"] > Value(0LL))) && truth((a["p"] < Value(1LL)))); }
inline Value rule_345(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["self"])})); }
inline Value rule_346(const Arguments& a) { (void)a; return (functions_rank(a["self"]) >= Value(2LL)); }
inline Value rule_347(const Arguments& a) { (void)a; return functions_replace(a["self"], a["dim"], floordiv(functions_size(a["self"], a["dim"]), Value(2LL))); }
inline Value rule_348(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) && truth(predicates_in_range(a["dim"], functions_rank(a["self"])))); }
inline Value rule_349(const Arguments& a) { (void)a; return ((functions_size(a["self"], a["dim"]) % Value(2LL)) == Value(0LL)); }
inline Value rule_350(const Arguments& a) { (void)a; return (a["grad_output"] == functions_replace(a["self"], a["dim"], floordiv(functions_size(a["self"], a["dim"]), Value(2LL)))); }
inline Value rule_351(const Arguments& a) { (void)a; return a["grad_out"]; }
inline Value rule_352(const Arguments& a) { (void)a; return (a["grad_out"] == a["self"]); }
inline Value rule_353(const Arguments& a) { (void)a; return (a["mode"] == Value(0LL)); }
inline Value rule_354(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["values"]})); }
inline Value rule_355(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("values")); }
inline Value rule_356(const Arguments& a) { (void)a; return (a["delta"] > Value(0LL)); }
inline Value rule_357(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + Value::list({(functions_size(a["self"], (-Value(3LL))) * (at(a["kernel_size"], Value(0LL)) * at(a["kernel_size"], Value(1LL)))), (functions_conv_out(functions_size(a["self"], (-Value(2LL))), at(a["kernel_size"], Value(0LL)), at(a["stride"], Value(0LL)), at(a["padding"], Value(0LL)), at(a["dilation"], Value(0LL))) * functions_conv_out(functions_size(a["self"], (-Value(1LL))), at(a["kernel_size"], Value(1LL)), at(a["stride"], Value(1LL)), at(a["padding"], Value(1LL)), at(a["dilation"], Value(1LL))))})); }
inline Value rule_358(const Arguments& a) { (void)a; return Value(truth((functions_conv_out(functions_size(a["self"], (-Value(2LL))), at(a["kernel_size"], Value(0LL)), at(a["stride"], Value(0LL)), at(a["padding"], Value(0LL)), at(a["dilation"], Value(0LL))) > Value(0LL))) && truth((functions_conv_out(functions_size(a["self"], (-Value(1LL))), at(a["kernel_size"], Value(1LL)), at(a["stride"], Value(1LL)), at(a["padding"], Value(1LL)), at(a["dilation"], Value(1LL))) > Value(0LL)))); }
inline Value rule_359(const Arguments& a) { (void)a; return (functions_rank(a["index"]) <= Value(1LL)); }
inline Value rule_360(const Arguments& a) { (void)a; return (functions_numel(a["source"]) == functions_numel(functions_replace(a["self"], a["dim"], functions_numel(a["index"])))); }
inline Value rule_361(const Arguments& a) { (void)a; return (a["reduce"] != Value("sum")); }
inline Value rule_362(const Arguments& a) { (void)a; return Value(truth((a["reduce"] != Value("mean"))) || truth((a.dtype("self") != Value("bool")))); }
inline Value rule_363(const Arguments& a) { (void)a; return functions_replace(a["self"], a["dim"], functions_numel(a["index"])); }
inline Value rule_364(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) || truth((functions_numel(a["index"]) == Value(1LL)))); }
inline Value rule_365(const Arguments& a) { (void)a; return a["elements"]; }
inline Value rule_366(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(0LL))) || truth((functions_size(a["self"], a["dim"]) > Value(0LL)))); }
inline Value rule_367(const Arguments& a) { (void)a; return Value(truth((a["k"] >= Value(1LL))) && truth((a["k"] <= functions_size(a["self"], a["dim"])))); }
inline Value rule_368(const Arguments& a) { (void)a; return Value(truth((a.dtype("other") != Value("bool"))) || !truth(predicates_floating(a.dtype("self")))); }
inline Value rule_369(const Arguments& a) { (void)a; return Value(truth(predicates_floating(a.dtype("self"))) || truth(predicates_integral(a.dtype("self"))) || truth(predicates_integral(a.dtype("other")))); }
inline Value rule_370(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["end"]})); }
inline Value rule_371(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("end")); }
inline Value rule_372(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["end"], a["weight"]})); }
inline Value rule_373(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("weight")); }
inline Value rule_374(const Arguments& a) { (void)a; return slice(a["self"], Value(), (-Value(2LL))); }
inline Value rule_375(const Arguments& a) { (void)a; return Value(truth((functions_size(a["self"], a["dim"]) == Value(3LL))) && truth((functions_size(a["other"], a["dim"]) == Value(3LL)))); }
inline Value rule_376(const Arguments& a) { (void)a; return (at(a["input"], (-Value(2LL))) >= at(a["input"], (-Value(1LL)))); }
inline Value rule_377(const Arguments& a) { (void)a; return (at(a["tau"], (-Value(1LL))) <= at(a["input"], (-Value(1LL)))); }
inline Value rule_378(const Arguments& a) { (void)a; return (slice(a["tau"], Value(), (-Value(1LL))) == slice(a["input"], Value(), (-Value(2LL)))); }
inline Value rule_379(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["LD"], Value(), (-Value(2LL))), slice(a["B"], Value(), (-Value(2LL)))})) + slice(a["B"], (-Value(2LL)), Value())); }
inline Value rule_380(const Arguments& a) { (void)a; return matrices_is_square(a["LD"]); }
inline Value rule_381(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["B"]) >= Value(2LL))) && truth((at(a["LD"], (-Value(1LL))) == at(a["B"], (-Value(2LL)))))); }
inline Value rule_382(const Arguments& a) { (void)a; return (a["pivots"] == slice(a["LD"], Value(), (-Value(1LL)))); }
inline Value rule_383(const Arguments& a) { (void)a; return ((slice(a["self"], Value(), (-Value(2LL))) + Value::list({at(a["self"], (-Value(1LL)))})) + slice(a["b"], (functions_rank(a["self"]) - Value(1LL)), Value())); }
inline Value rule_384(const Arguments& a) { (void)a; return ((truth((at(a["self"], (-Value(2LL))) > at(a["self"], (-Value(1LL))))) && truth(predicates_given(a["driver"])) && truth((a["driver"] != Value("gelsy")))) ? (slice(a["self"], Value(), (-Value(2LL))) + (truth((functions_rank(a["b"]) == functions_rank(a["self"]))) ? Value::list({at(a["b"], (-Value(1LL)))}) : Value::list({Value(1LL)}))) : Value::list({Value(0LL)})); }
inline Value rule_385(const Arguments& a) { (void)a; return (truth((a["driver"] == Value("gels"))) ? Value::list({Value(0LL)}) : slice(a["self"], Value(), (-Value(2LL)))); }
inline Value rule_386(const Arguments& a) { (void)a; return ((truth((a["driver"] == Value("gelsd"))) || truth((a["driver"] == Value("gelss")))) ? (slice(a["self"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["self"])})) : Value::list({Value(0LL)})); }
inline Value rule_387(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["b"]) == functions_rank(a["self"]))) || truth((functions_rank(a["b"]) == (functions_rank(a["self"]) - Value(1LL))))) && truth((slice(a["self"], Value(), (-Value(1LL))) == slice(a["b"], Value(), (functions_rank(a["self"]) - Value(1LL)))))); }
inline Value rule_388(const Arguments& a) { (void)a; return Value(!(truth((a["driver"] == Value("gels"))) && truth(predicates_given(a["rcond"])))); }
inline Value rule_389(const Arguments& a) { (void)a; return (slice(a["A"], Value(), (-Value(2LL))) + Value::list({at(a["A"], (-Value(2LL))), at(a["A"], (-Value(2LL)))})); }
inline Value rule_390(const Arguments& a) { (void)a; return (slice(a["A"], Value(), (-Value(2LL))) + Value::list({at(a["A"], (-Value(2LL))), matrices_shorter_side(a["A"])})); }
inline Value rule_391(const Arguments& a) { (void)a; return (slice(a["A"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["A"]), at(a["A"], (-Value(1LL)))})); }
inline Value rule_392(const Arguments& a) { (void)a; return a["pivot"]; }
inline Value rule_393(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["LU"], Value(), (-Value(2LL))), slice(a["B"], Value(), (-Value(2LL)))})) + slice(a["B"], (-Value(2LL)), Value())); }
inline Value rule_394(const Arguments& a) { (void)a; return matrices_is_square(a["LU"]); }
inline Value rule_395(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["B"]) >= Value(2LL))) && truth(((truth(a["left"]) ? at(a["B"], (-Value(2LL))) : at(a["B"], (-Value(1LL)))) == at(a["LU"], (-Value(1LL)))))); }
inline Value rule_396(const Arguments& a) { (void)a; return (a["pivots"] == slice(a["LU"], Value(), (-Value(1LL)))); }
inline Value rule_397(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["self"], Value(), (-Value(2LL))), a["atol"], a["rtol"]})) + Value::list({at(a["self"], (-Value(1LL))), at(a["self"], (-Value(2LL)))})); }
inline Value rule_398(const Arguments& a) { (void)a; return Value(truth(matrices_is_square(a["self"])) || !truth(a["hermitian"])); }
inline Value rule_399(const Arguments& a) { (void)a; return (truth((a["mode"] == Value("r"))) ? Value::list({Value(0LL)}) : (slice(a["A"], Value(), (-Value(1LL))) + Value::list({(truth((a["mode"] == Value("complete"))) ? at(a["A"], (-Value(2LL))) : matrices_shorter_side(a["A"]))}))); }
inline Value rule_400(const Arguments& a) { (void)a; return (slice(a["A"], Value(), (-Value(2LL))) + Value::list({(truth((a["mode"] == Value("complete"))) ? at(a["A"], (-Value(2LL))) : matrices_shorter_side(a["A"])), at(a["A"], (-Value(1LL)))})); }
inline Value rule_401(const Arguments& a) { (void)a; return Value(truth((a["mode"] == Value("reduced"))) || truth((a["mode"] == Value("complete"))) || truth((a["mode"] == Value("r")))); }
inline Value rule_402(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["self"], Value(), (-Value(2LL))), slice(a["B"], Value(), (-Value(2LL)))})) + slice(a["B"], (-Value(2LL)), Value())); }
inline Value rule_403(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["B"]) >= Value(2LL))) && truth(((truth(a["left"]) ? at(a["B"], (-Value(2LL))) : at(a["B"], (-Value(1LL)))) == at(a["self"], (-Value(1LL)))))); }
inline Value rule_404(const Arguments& a) { (void)a; return Value(truth((functions_numel(functions_sizes(a["self"], a["dim"])) > Value(0LL))) || !truth(predicates_given(a["ord"])) || (truth((a["ord"] >= Value(0LL))) && truth((a["ord"] < Value(1e+300))))); }
inline Value rule_405(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || (truth((predicates_floating(a["dtype"]) == predicates_floating(a.dtype("self")))) && truth((itemsize(a["dtype"]) >= itemsize(a.dtype("self")))))); }
inline Value rule_406(const Arguments& a) { (void)a; return a["weight"]; }
inline Value rule_407(const Arguments& a) { (void)a; return slice(a["weight"], Value(), Value(1LL)); }
inline Value rule_408(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["weight"]) == Value(2LL))) && truth((functions_rank(a["self"]) >= Value(1LL)))); }
inline Value rule_409(const Arguments& a) { (void)a; return Value(truth(((slice(a["self"], Value(), (-Value(1LL))) + Value::list({at(a["weight"], Value(0LL))})) == a["grad_output"])) && truth((at(a["self"], (-Value(1LL))) == at(a["weight"], Value(1LL))))); }
inline Value rule_410(const Arguments& a) { (void)a; return Value::list({a["steps"]}); }
inline Value rule_411(const Arguments& a) { (void)a; return (a["steps"] >= Value(0LL)); }
inline Value rule_412(const Arguments& a) { (void)a; return (functions_rank(a["end"]) == Value(0LL)); }
inline Value rule_413(const Arguments& a) { (void)a; return (functions_rank(a["start"]) == Value(0LL)); }
inline Value rule_414(const Arguments& a) { (void)a; return (a["std"] > Value(0LL)); }
inline Value rule_415(const Arguments& a) { (void)a; return (truth(a["unpack_pivots"]) ? (slice(a["LU_data"], Value(), (-Value(2LL))) + Value::list({at(a["LU_data"], (-Value(2LL))), at(a["LU_data"], (-Value(2LL)))})) : Value::list({Value(0LL)})); }
inline Value rule_416(const Arguments& a) { (void)a; return (truth(a["unpack_data"]) ? (slice(a["LU_data"], Value(), (-Value(2LL))) + Value::list({at(a["LU_data"], (-Value(2LL))), matrices_shorter_side(a["LU_data"])})) : Value::list({Value(0LL)})); }
inline Value rule_417(const Arguments& a) { (void)a; return (truth(a["unpack_data"]) ? (slice(a["LU_data"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["LU_data"]), at(a["LU_data"], (-Value(1LL)))})) : Value::list({Value(0LL)})); }
inline Value rule_418(const Arguments& a) { (void)a; return (functions_rank(a["LU_data"]) >= Value(2LL)); }
inline Value rule_419(const Arguments& a) { (void)a; return (a["LU_pivots"] == (slice(a["LU_data"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["LU_data"])}))); }
inline Value rule_420(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["mask"]})); }
inline Value rule_421(const Arguments& a) { (void)a; return a["sizes"]; }
inline Value rule_422(const Arguments& a) { (void)a; return Value::list({functions_data_dependent(functions_numel(indexing_broadcast(Value::list({a["self"], a["mask"]}))))}); }
inline Value rule_423(const Arguments& a) { (void)a; return functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], a["dilation"], a["ceil_mode"], Value(2LL)); }
inline Value rule_424(const Arguments& a) { (void)a; return (a["grad_output"] == functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], a["dilation"], a["ceil_mode"], Value(2LL))); }
inline Value rule_425(const Arguments& a) { (void)a; return functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], a["dilation"], a["ceil_mode"], Value(3LL)); }
inline Value rule_426(const Arguments& a) { (void)a; return (a["grad_output"] == functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], a["dilation"], a["ceil_mode"], Value(3LL))); }
inline Value rule_427(const Arguments& a) { (void)a; return (a["indices"] == a["self"]); }
inline Value rule_428(const Arguments& a) { (void)a; return (fold_min(Value::list({a["stride"]})) > Value(0LL)); }
inline Value rule_429(const Arguments& a) { (void)a; return Value(!truth(predicates_integral(a.dtype("self"))) || truth(predicates_given(a["dtype"]))); }
inline Value rule_430(const Arguments& a) { (void)a; return Value::list({at(a["self"], Value(0LL)), at(a["mat2"], Value(1LL))}); }
inline Value rule_431(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) && truth((functions_rank(a["mat2"]) == Value(2LL)))); }
inline Value rule_432(const Arguments& a) { (void)a; return (at(a["self"], Value(1LL)) == at(a["mat2"], Value(0LL))); }
inline Value rule_433(const Arguments& a) { (void)a; return ((truth((a["reduction"] == Value(0LL))) && truth((functions_rank(a["self"]) == Value(2LL)))) ? slice(a["self"], Value(), Value(1LL)) : Value::list({})); }
inline Value rule_434(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["self"]) == Value(1LL))) || truth((functions_rank(a["self"]) == Value(2LL)))) && truth((functions_size(a["self"], (-Value(1LL))) > Value(0LL)))); }
inline Value rule_435(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["target"]) <= Value(1LL))) && truth((functions_numel(a["target"]) == (truth((functions_rank(a["self"]) == Value(2LL))) ? at(a["self"], Value(0LL)) : Value(1LL))))); }
inline Value rule_436(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == slice(a["self"], (functions_rank(a["self"]) - Value(1LL)), Value())))); }
inline Value rule_437(const Arguments& a) { (void)a; return Value(truth((a["p"] == Value(1LL))) || truth((a["p"] == Value(2LL)))); }
inline Value rule_438(const Arguments& a) { (void)a; return (a["grad_output"] == ((truth((a["reduction"] == Value(0LL))) && truth((functions_rank(a["self"]) == Value(2LL)))) ? slice(a["self"], Value(), Value(1LL)) : Value::list({}))); }
inline Value rule_439(const Arguments& a) { (void)a; return (a["target"] == a["self"]); }
inline Value rule_440(const Arguments& a) { (void)a; return (a["is_target"] == a["target"]); }
inline Value rule_441(const Arguments& a) { (void)a; return a["target"]; }
inline Value rule_442(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (-Value(1LL))) + Value::list({a["num_samples"]})); }
inline Value rule_443(const Arguments& a) { (void)a; return Value(truth((a["num_samples"] > Value(0LL))) && (truth(a["replacement"]) || truth((a["num_samples"] <= functions_size(a["self"], (-Value(1LL))))))); }
inline Value rule_444(const Arguments& a) { (void)a; return Value::list({at(a["self"], Value(0LL))}); }
inline Value rule_445(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) && truth((functions_rank(a["vec"]) == Value(1LL)))); }
inline Value rule_446(const Arguments& a) { (void)a; return (at(a["self"], Value(1LL)) == at(a["vec"], Value(0LL))); }
inline Value rule_447(const Arguments& a) { (void)a; return (a["p"] >= Value(1LL)); }
inline Value rule_448(const Arguments& a) { (void)a; return functions_replace(a["self"], a["dim"], a["length"]); }
inline Value rule_449(const Arguments& a) { (void)a; return (a["length"] >= Value(0LL)); }
inline Value rule_450(const Arguments& a) { (void)a; return Value(truth(((a["start"] + a["length"]) <= functions_size(a["self"], a["dim"]))) && (truth((a["start"] >= Value(0LL))) || truth(((a["start"] + a["length"]) <= Value(0LL))))); }
inline Value rule_451(const Arguments& a) { (void)a; return ((-a["start"]) <= functions_size(a["self"], a["dim"])); }
inline Value rule_452(const Arguments& a) { (void)a; return Value(truth((predicates_given(a["running_mean"]) == predicates_given(a["running_var"]))) && truth((predicates_given(a["running_mean"]) == Value(!truth(a["training"]))))); }
inline Value rule_453(const Arguments& a) { (void)a; return Value(truth(a["training"]) || (truth((a["running_mean"] == slice(a["input"], Value(1LL), Value(2LL)))) && truth((a["running_var"] == a["running_mean"])))); }
inline Value rule_454(const Arguments& a) { (void)a; return Value(!truth(a["train"]) || (truth(predicates_given(a["save_mean"])) && truth(predicates_given(a["save_invstd"])) && truth((a["save_mean"] == slice(a["input"], Value(1LL), Value(2LL)))))); }
inline Value rule_455(const Arguments& a) { (void)a; return Value(truth(a["train"]) || (truth(predicates_given(a["running_mean"])) && truth(predicates_given(a["running_var"])) && truth((a["running_mean"] == slice(a["input"], Value(1LL), Value(2LL)))))); }
inline Value rule_456(const Arguments& a) { (void)a; return Value(truth((Value(0LL) <= a["p"])) && truth((a["p"] <= Value(1LL)))); }
inline Value rule_457(const Arguments& a) { (void)a; return (a["grad_output"] == a["mask"]); }
inline Value rule_458(const Arguments& a) { (void)a; return Value::list({a["N"], a["group"]}); }
inline Value rule_459(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) >= Value(2LL))) && truth((at(a["input"], Value(0LL)) == a["N"])) && truth((at(a["input"], Value(1LL)) == a["C"]))); }
inline Value rule_460(const Arguments& a) { (void)a; return (functions_numel(slice(a["input"], Value(2LL), Value())) == a["HxW"]); }
inline Value rule_461(const Arguments& a) { (void)a; return Value(truth((a["group"] > Value(0LL))) && truth(((a["C"] % a["group"]) == Value(0LL)))); }
inline Value rule_462(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == Value::list({a["C"]})))); }
inline Value rule_463(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == Value::list({a["C"]})))); }
inline Value rule_464(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(1LL))) ? Value::list({a["C"]}) : functions_absent()); }
inline Value rule_465(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(2LL))) ? Value::list({a["C"]}) : functions_absent()); }
inline Value rule_466(const Arguments& a) { (void)a; return Value(truth((a["mean"] == Value::list({a["N"], a["group"]}))) && truth((a["rstd"] == a["mean"]))); }
inline Value rule_467(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == a["normalized_shape"]))); }
inline Value rule_468(const Arguments& a) { (void)a; return ((truth(at(a["output_mask"], Value(2LL))) && truth(predicates_given(a["bias"]))) ? a["bias"] : functions_absent()); }
inline Value rule_469(const Arguments& a) { (void)a; return Value(truth((a["mean"] == (slice(a["input"], Value(), (functions_rank(a["input"]) - functions_rank(a["normalized_shape"]))) + functions_fill(functions_rank(a["normalized_shape"]), Value(1LL))))) && truth((a["rstd"] == a["mean"]))); }
inline Value rule_470(const Arguments& a) { (void)a; return (a["target"] == functions_drop(a["self"], Value(1LL))); }
inline Value rule_471(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == Value::list({at(a["self"], Value(1LL))})))); }
inline Value rule_472(const Arguments& a) { (void)a; return Value(truth((a["grad_output"] == (truth((a["reduction"] == Value(0LL))) ? functions_drop(a["self"], Value(1LL)) : Value::list({})))) || truth((functions_numel(a["grad_output"]) == Value(1LL)))); }
inline Value rule_473(const Arguments& a) { (void)a; return (functions_numel(a["total_weight"]) == Value(1LL)); }
inline Value rule_474(const Arguments& a) { (void)a; return (truth((a["reduction"] == Value(0LL))) ? functions_drop(a["self"], Value(1LL)) : Value::list({})); }
inline Value rule_475(const Arguments& a) { (void)a; return (a["target"] == slice(a["self"], Value(), (-Value(1LL)))); }
inline Value rule_476(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == Value::list({functions_size(a["self"], (functions_rank(a["self"]) - Value(1LL)))})))); }
inline Value rule_477(const Arguments& a) { (void)a; return Value(truth((a["grad_output"] == (truth((a["reduction"] == Value(0LL))) ? slice(a["self"], Value(), (-Value(1LL))) : Value::list({})))) || truth((functions_numel(a["grad_output"]) == Value(1LL)))); }
inline Value rule_478(const Arguments& a) { (void)a; return (truth((a["reduction"] == Value(0LL))) ? slice(a["self"], Value(), (-Value(1LL))) : Value::list({})); }
inline Value rule_479(const Arguments& a) { (void)a; return Value::list({functions_data_dependent(functions_numel(a["self"])), functions_rank(a["self"])}); }
inline Value rule_480(const Arguments& a) { (void)a; return Value::list({a["size"], functions_rank(a["self"])}); }
inline Value rule_481(const Arguments& a) { (void)a; return (a["size"] >= Value(0LL)); }
inline Value rule_482(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["self"]) > Value(0LL))) || !truth(predicates_given(a["p"])) || (truth((a["p"] >= Value(0LL))) && truth((a["p"] < Value(1e+300))))); }
inline Value rule_483(const Arguments& a) { (void)a; return Value(truth((functions_numel(functions_sizes(a["self"], a["dim"])) > Value(0LL))) || !truth(predicates_given(a["p"])) || (truth((a["p"] >= Value(0LL))) && truth((a["p"] < Value(1e+300))))); }
inline Value rule_484(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["mean"], a["std"]})); }
inline Value rule_485(const Arguments& a) { (void)a; return a["mean"]; }
inline Value rule_486(const Arguments& a) { (void)a; return (a["std"] >= Value(0LL)); }
inline Value rule_487(const Arguments& a) { (void)a; return a["std"]; }
inline Value rule_488(const Arguments& a) { (void)a; return a["input3"]; }
inline Value rule_489(const Arguments& a) { (void)a; return (truth(a["left"]) ? (at(a["input3"], (-Value(2LL))) == at(a["self"], (-Value(2LL)))) : (at(a["input3"], (-Value(1LL))) == at(a["self"], (-Value(2LL))))); }
inline Value rule_490(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input3"]) == functions_rank(a["self"]))) && truth((slice(a["input3"], Value(), (-Value(2LL))) == slice(a["self"], Value(), (-Value(2LL)))))); }
inline Value rule_491(const Arguments& a) { (void)a; return Value(truth((at(a["input2"], (-Value(1LL))) <= at(a["self"], (-Value(1LL))))) && truth((slice(a["input2"], Value(), (-Value(1LL))) == slice(a["self"], Value(), (-Value(2LL)))))); }
inline Value rule_492(const Arguments& a) { (void)a; return (at(a["input2"], (-Value(1LL))) <= at(a["self"], (-Value(2LL)))); }
inline Value rule_493(const Arguments& a) { (void)a; return functions_permute(a["self"], a["dims"]); }
inline Value rule_494(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["dims"]) == functions_rank(a["self"]))) && truth(predicates_distinct(a["dims"], functions_rank(a["self"])))); }
inline Value rule_495(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + Value::list({floordiv(functions_size(a["self"], (-Value(3LL))), (a["upscale_factor"] * a["upscale_factor"])), (functions_size(a["self"], (-Value(2LL))) * a["upscale_factor"]), (functions_size(a["self"], (-Value(1LL))) * a["upscale_factor"])})); }
inline Value rule_496(const Arguments& a) { (void)a; return Value(truth((a["upscale_factor"] > Value(0LL))) && truth(((functions_size(a["self"], (-Value(3LL))) % (a["upscale_factor"] * a["upscale_factor"])) == Value(0LL)))); }
inline Value rule_497(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + Value::list({((functions_size(a["self"], (-Value(3LL))) * a["downscale_factor"]) * a["downscale_factor"]), floordiv(functions_size(a["self"], (-Value(2LL))), a["downscale_factor"]), floordiv(functions_size(a["self"], (-Value(1LL))), a["downscale_factor"])})); }
inline Value rule_498(const Arguments& a) { (void)a; return Value(truth((a["downscale_factor"] > Value(0LL))) && truth(((functions_size(a["self"], (-Value(2LL))) % a["downscale_factor"]) == Value(0LL))) && truth(((functions_size(a["self"], (-Value(1LL))) % a["downscale_factor"]) == Value(0LL)))); }
inline Value rule_499(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["abs"], a["angle"]})); }
inline Value rule_500(const Arguments& a) { (void)a; return (a["n"] >= Value(0LL)); }
inline Value rule_501(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["exponent"]})); }
inline Value rule_502(const Arguments& a) { (void)a; return (functions_numel(a["source"]) == functions_numel(a["index"])); }
inline Value rule_503(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["self"]) > Value(0LL))) || truth((functions_numel(a["index"]) == Value(0LL)))); }
inline Value rule_504(const Arguments& a) { (void)a; return (a["high"] > Value(0LL)); }
inline Value rule_505(const Arguments& a) { (void)a; return (a["low"] < a["high"]); }
inline Value rule_506(const Arguments& a) { (void)a; return (functions_numel(a["high"]) == Value(1LL)); }
inline Value rule_507(const Arguments& a) { (void)a; return Value(truth(predicates_given(a["to"])) || !truth(predicates_integral(a.dtype("self"))) || (truth((itemsize(a.dtype("self")) > Value(2LL))) && truth((a.dtype("self") != Value("uint64"))))); }
inline Value rule_508(const Arguments& a) { (void)a; return (a["to"] > Value(0LL)); }
inline Value rule_509(const Arguments& a) { (void)a; return functions_range(a["start"], a["end"], Value(1LL)); }
inline Value rule_510(const Arguments& a) { (void)a; return functions_range(a["start"], a["end"], a["step"]); }
inline Value rule_511(const Arguments& a) { (void)a; return (((a["end"] - a["start"]) * a["step"]) >= Value(0LL)); }
inline Value rule_512(const Arguments& a) { (void)a; return functions_pad(a["self"], a["padding"]); }
inline Value rule_513(const Arguments& a) { (void)a; return (functions_rank(a["padding"]) == Value(2LL)); }
inline Value rule_514(const Arguments& a) { (void)a; return (fold_min(Value::list({slice(functions_pad(a["self"], a["padding"]), (functions_rank(a["self"]) - Value(1LL)), Value())})) > Value(0LL)); }
inline Value rule_515(const Arguments& a) { (void)a; return (fold_max(Value::list({slice(a["padding"], Value(0LL), Value(2LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(1LL)), Value()), Value(0LL))); }
inline Value rule_516(const Arguments& a) { (void)a; return (a["grad_output"] == functions_pad(a["self"], a["padding"])); }
inline Value rule_517(const Arguments& a) { (void)a; return (functions_rank(a["padding"]) == Value(4LL)); }
inline Value rule_518(const Arguments& a) { (void)a; return (fold_min(Value::list({slice(functions_pad(a["self"], a["padding"]), (functions_rank(a["self"]) - Value(2LL)), Value())})) > Value(0LL)); }
inline Value rule_519(const Arguments& a) { (void)a; return Value(truth((fold_max(Value::list({slice(a["padding"], Value(0LL), Value(2LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(2LL)), Value()), Value(1LL)))) && truth((fold_max(Value::list({slice(a["padding"], Value(2LL), Value(4LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(2LL)), Value()), Value(0LL))))); }
inline Value rule_520(const Arguments& a) { (void)a; return (functions_rank(a["padding"]) == Value(6LL)); }
inline Value rule_521(const Arguments& a) { (void)a; return (fold_min(Value::list({slice(functions_pad(a["self"], a["padding"]), (functions_rank(a["self"]) - Value(3LL)), Value())})) > Value(0LL)); }
inline Value rule_522(const Arguments& a) { (void)a; return Value(truth((fold_max(Value::list({slice(a["padding"], Value(0LL), Value(2LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(3LL)), Value()), Value(2LL)))) && truth((fold_max(Value::list({slice(a["padding"], Value(2LL), Value(4LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(3LL)), Value()), Value(1LL)))) && truth((fold_max(Value::list({slice(a["padding"], Value(4LL), Value(6LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(3LL)), Value()), Value(0LL))))); }
inline Value rule_523(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) >= Value(2LL))) && truth(predicates_in_range(a["dim"], functions_rank(a["self"])))); }
inline Value rule_524(const Arguments& a) { (void)a; return Value(truth((a["p"] > Value(0LL))) && truth((a["maxnorm"] >= Value(0LL)))); }
inline Value rule_525(const Arguments& a) { (void)a; return functions_repeat(a["self"], a["repeats"]); }
inline Value rule_526(const Arguments& a) { (void)a; return (functions_rank(a["repeats"]) >= functions_rank(a["self"])); }
inline Value rule_527(const Arguments& a) { (void)a; return Value::list({(truth(predicates_given(a["output_size"])) ? a["output_size"] : functions_data_dependent())}); }
inline Value rule_528(const Arguments& a) { (void)a; return (functions_rank(a["repeats"]) == Value(1LL)); }
inline Value rule_529(const Arguments& a) { (void)a; return a["the_template"]; }
inline Value rule_530(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["shifts"]) == functions_rank(a["dims"]))) || (truth((functions_rank(a["dims"]) == Value(0LL))) && truth((functions_rank(a["shifts"]) == Value(1LL))))); }
inline Value rule_531(const Arguments& a) { (void)a; return (truth(((a["k"] % Value(2LL)) == Value(1LL))) ? functions_transpose(a["self"], at(a["dims"], Value(0LL)), at(a["dims"], Value(1LL))) : a["self"]); }
inline Value rule_532(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["dims"]) == Value(2LL))) && truth((functions_rank(a["self"]) >= Value(2LL)))); }
inline Value rule_533(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["index"]) == Value(0LL))) || truth((functions_rank(a["index"]) == Value(0LL))) || truth((functions_rank(a["src"]) == Value(0LL))) || truth(predicates_covers(a["src"], a["index"]))); }
inline Value rule_534(const Arguments& a) { (void)a; return Value((truth((a["reduce"] != Value("amax"))) && truth((a["reduce"] != Value("amin")))) || truth(predicates_floating(a.dtype("self"))) || truth(predicates_integral(a.dtype("self")))); }
inline Value rule_535(const Arguments& a) { (void)a; return (functions_rank(a["sorted_sequence"]) == Value(1LL)); }
inline Value rule_536(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["side"])) || !truth(a["right"]) || truth((a["side"] == Value("right")))); }
inline Value rule_537(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["sorter"])) || truth((a["sorter"] == a["sorted_sequence"]))); }
inline Value rule_538(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["sorted_sequence"]) == Value(1LL))) || truth(predicates_same_except(a["sorted_sequence"], a["self"], (-Value(1LL))))); }
inline Value rule_539(const Arguments& a) { (void)a; return (functions_rank(a["sorted_sequence"]) > Value(0LL)); }
inline Value rule_540(const Arguments& a) { (void)a; return functions_drop(a["self"], a["dim"]); }
inline Value rule_541(const Arguments& a) { (void)a; return Value(truth((a["index"] < functions_size(a["self"], a["dim"]))) && truth(((-a["index"]) <= functions_size(a["self"], a["dim"])))); }
inline Value rule_542(const Arguments& a) { (void)a; return Value(truth(predicates_in_range(a["dim"], functions_rank(a["input_sizes"]))) && truth((functions_rank(a["input_sizes"]) > Value(0LL)))); }
inline Value rule_543(const Arguments& a) { (void)a; return predicates_in_range(a["index"], functions_size(a["input_sizes"], a["dim"])); }
inline Value rule_544(const Arguments& a) { (void)a; return (a["grad_output"] == functions_drop(a["input_sizes"], a["dim"])); }
inline Value rule_545(const Arguments& a) { (void)a; return (a["src"] == functions_drop(a["self"], a["dim"])); }
inline Value rule_546(const Arguments& a) { (void)a; return functions_slice(a["self"], a["dim"], a["start"], a["end"], a["step"]); }
inline Value rule_547(const Arguments& a) { (void)a; return (a["step"] > Value(0LL)); }
inline Value rule_548(const Arguments& a) { (void)a; return (a["grad_output"] == functions_slice(a["input_sizes"], a["dim"], a["start"], a["end"], a["step"])); }
inline Value rule_549(const Arguments& a) { (void)a; return (a["src"] == functions_slice(a["self"], a["dim"], a["start"], a["end"], a["step"])); }
inline Value rule_550(const Arguments& a) { (void)a; return (a["beta"] > Value(0LL)); }
inline Value rule_551(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["x"], a["n"]})); }
inline Value rule_552(const Arguments& a) { (void)a; return a["n"]; }
inline Value rule_553(const Arguments& a) { (void)a; return functions_split(a["self"], a["split_size"], a["dim"]); }
inline Value rule_554(const Arguments& a) { (void)a; return Value(truth((a["split_size"] > Value(0LL))) || (truth((functions_size(a["self"], a["dim"]) == Value(0LL))) && truth((a["split_size"] == Value(0LL))))); }
inline Value rule_555(const Arguments& a) { (void)a; return functions_split_sizes(a["self"], a["split_sizes"], a["dim"]); }
inline Value rule_556(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["split_sizes"]) == Value(0LL))) || truth((fold_min(Value::list({a["split_sizes"]})) >= Value(0LL)))); }
inline Value rule_557(const Arguments& a) { (void)a; return functions_squeeze(a["self"]); }
inline Value rule_558(const Arguments& a) { (void)a; return functions_squeeze(a["self"], a["dim"]); }
inline Value rule_559(const Arguments& a) { (void)a; return functions_reverse(a["self"]); }
inline Value rule_560(const Arguments& a) { (void)a; return (functions_rank(a["self"]) <= Value(2LL)); }
inline Value rule_561(const Arguments& a) { (void)a; return functions_replace(a["self"], a["dim"], a["k"]); }
inline Value rule_562(const Arguments& a) { (void)a; return Value(truth((a["k"] >= Value(0LL))) && truth((a["k"] <= functions_size(a["self"], a["dim"])))); }
inline Value rule_563(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) || truth((a["k"] == Value(1LL)))); }
inline Value rule_564(const Arguments& a) { (void)a; return functions_transpose(a["self"], a["dim0"], a["dim1"]); }
inline Value rule_565(const Arguments& a) { (void)a; return Value(truth(predicates_in_range(a["dim0"], functions_rank(a["self"]))) && truth(predicates_in_range(a["dim1"], functions_rank(a["self"])))); }
inline Value rule_566(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["A"], Value(), (-Value(2LL))), slice(a["self"], Value(), (-Value(2LL)))})) + slice(a["self"], (-Value(2LL)), Value())); }
inline Value rule_567(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["A"], Value(), (-Value(2LL))), slice(a["self"], Value(), (-Value(2LL)))})) + slice(a["A"], (-Value(2LL)), Value())); }
inline Value rule_568(const Arguments& a) { (void)a; return Value::list({Value(2LL), indexing_below_diagonal(a["row"], a["col"], a["offset"])}); }
inline Value rule_569(const Arguments& a) { (void)a; return Value(truth((a["row"] >= Value(0LL))) && truth((a["col"] >= Value(0LL)))); }
inline Value rule_570(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || truth((a["dtype"] == Value("int64"))) || truth((a["dtype"] == Value("int32")))); }
inline Value rule_571(const Arguments& a) { (void)a; return Value::list({Value(2LL), ((a["row"] * a["col"]) - indexing_below_diagonal(a["row"], a["col"], (a["offset"] - Value(1LL))))}); }
inline Value rule_572(const Arguments& a) { (void)a; return functions_unbind(a["self"], a["dim"]); }
inline Value rule_573(const Arguments& a) { (void)a; return functions_unfold(a["self"], a["dimension"], a["size"], a["step"]); }
inline Value rule_574(const Arguments& a) { (void)a; return predicates_in_range(a["dimension"], functions_rank(a["self"])); }
inline Value rule_575(const Arguments& a) { (void)a; return Value(truth((a["size"] <= functions_size(a["self"], a["dimension"]))) && truth((a["size"] >= Value(0LL)))); }
inline Value rule_576(const Arguments& a) { (void)a; return predicates_in_range(a["dim"], functions_rank(a["input_sizes"])); }
inline Value rule_577(const Arguments& a) { (void)a; return (a["grad_in"] == functions_unfold(a["input_sizes"], a["dim"], a["size"], a["step"])); }
inline Value rule_578(const Arguments& a) { (void)a; return functions_insert(a["self"], a["dim"], Value(1LL)); }
inline Value rule_579(const Arguments& a) { (void)a; return predicates_in_range(a["dim"], (functions_rank(a["self"]) + Value(1LL))); }
inline Value rule_580(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(1LL))) && truth((functions_rank(a["other"]) == Value(1LL)))); }
inline Value rule_581(const Arguments& a) { (void)a; return (at(a["self"], Value(0LL)) == at(a["other"], Value(0LL))); }
inline Value rule_582(const Arguments& a) { (void)a; return (truth((itemsize(a.dtype("self")) == itemsize(a["dtype"]))) ? a["self"] : functions_replace(a["self"], (-Value(1LL)), floordiv((functions_size(a["self"], (-Value(1LL))) * itemsize(a.dtype("self"))), itemsize(a["dtype"])))); }
inline Value rule_583(const Arguments& a) { (void)a; return Value(truth((itemsize(a.dtype("self")) == itemsize(a["dtype"]))) || (truth((functions_rank(a["self"]) > Value(0LL))) && truth((((functions_size(a["self"], (-Value(1LL))) * itemsize(a.dtype("self"))) % itemsize(a["dtype"])) == Value(0LL))))); }
inline Value rule_584(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) >= Value(1LL))) && truth((at(a["self"], (-Value(1LL))) == Value(2LL)))); }
inline Value rule_585(const Arguments& a) { (void)a; return functions_insert(a["self"], (-Value(1LL)), Value(2LL)); }
inline Value rule_586(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["condition"], a["self"], a["other"]})); }
inline Value rule_587(const Arguments& a) { (void)a; return a["a"]; }
inline Value rule_588(const Arguments& a) { (void)a; return (slice(a["input"], Value(), (-Value(1LL))) + Value::list({Value(1LL)})); }
inline Value rule_589(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth((functions_numel(functions_sizes(a["input"], Value::list({(-Value(1LL))}))) > Value(0LL)))); }
inline Value rule_590(const Arguments& a) { (void)a; return (a.dtype("input") == a["dtype"]); }
inline Value rule_591(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth((a["axis"] >= Value(0LL))) && truth((a["axis"] < functions_rank(a["input"])))); }
inline Value rule_592(const Arguments& a) { (void)a; return (a["scales"] == Value::list({functions_size(a["input"], a["axis"])})); }
inline Value rule_593(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["zero_points"])) || truth((a["zero_points"] == a["scales"]))); }
inline Value rule_594(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) == Value(2LL))) && truth((functions_rank(a["scales"]) == Value(2LL))) && truth((at(a["input"], Value(0LL)) == at(a["scales"], Value(0LL))))); }
inline Value rule_595(const Arguments& a) { (void)a; return Value(truth((a["group_size"] > Value(1LL))) && truth(((at(a["input"], Value(1LL)) % a["group_size"]) == Value(0LL)))); }
inline Value rule_596(const Arguments& a) { (void)a; return ((at(a["scales"], Value(1LL)) * a["group_size"]) == at(a["input"], Value(1LL))); }
inline Value rule_597(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["scale"]) == Value(1LL))) && truth((functions_numel(a["zero_point"]) == Value(1LL)))); }
inline Value rule_598(const Arguments& a) { (void)a; return (functions_rank(a["input"]) > Value(0LL)); }
inline Value rule_599(const Arguments& a) { (void)a; return Value(truth((a["scales"] == (slice(a["input"], Value(), (-Value(1LL))) + Value::list({Value(1LL)})))) && truth((a["zero_points"] == a["scales"]))); }
inline Value rule_600(const Arguments& a) { (void)a; return Value(truth((a["mean"] == slice(a["input"], Value(1LL), Value(2LL)))) && truth((a["var"] == a["mean"]))); }
inline Value rule_601(const Arguments& a) { (void)a; return Value(truth(predicates_given(a["weight"])) || !truth(predicates_given(a["bias"]))); }
inline Value rule_602(const Arguments& a) { (void)a; return (functions_numel(a["input"]) > at(a["input"], Value(1LL))); }
inline Value rule_603(const Arguments& a) { (void)a; return (truth((a["reduction"] == Value(0LL))) ? functions_drop(a["input"], (truth((functions_rank(a["input"]) == Value(1LL))) ? Value(0LL) : Value(1LL))) : Value::list({})); }
inline Value rule_604(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth((functions_numel(a["input"]) > Value(0LL)))); }
inline Value rule_605(const Arguments& a) { (void)a; return (a["target"] == functions_drop(a["input"], (truth((functions_rank(a["input"]) == Value(1LL))) ? Value(0LL) : Value(1LL)))); }
inline Value rule_606(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == Value::list({functions_size(a["input"], (truth((functions_rank(a["input"]) == Value(1LL))) ? Value(0LL) : Value(1LL)))})))); }
inline Value rule_607(const Arguments& a) { (void)a; return Value(truth((Value(0.0) <= a["label_smoothing"])) && truth((a["label_smoothing"] <= Value(1.0)))); }
inline Value rule_608(const Arguments& a) { (void)a; return (a["grad_output"] == (truth((a["reduction"] == Value(0LL))) ? functions_drop(a["input"], (truth((functions_rank(a["input"]) == Value(1LL))) ? Value(0LL) : Value(1LL))) : Value::list({}))); }
inline Value rule_609(const Arguments& a) { (void)a; return Value::list({(truth(predicates_given(a["offsets"])) ? at(a["offsets"], Value(0LL)) : at(a["indices"], Value(0LL))), at(a["weight"], Value(1LL))}); }
inline Value rule_610(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["weight"]) == Value(2LL))) && truth((functions_numel(a["weight"]) > Value(0LL))) && truth((functions_numel(a["indices"]) > Value(0LL)))); }
inline Value rule_611(const Arguments& a) { (void)a; return (truth(predicates_given(a["offsets"])) ? Value(truth((functions_rank(a["indices"]) == Value(1LL))) && truth((functions_rank(a["offsets"]) == Value(1LL)))) : (functions_rank(a["indices"]) == Value(2LL))); }
inline Value rule_612(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["per_sample_weights"])) || truth((a["per_sample_weights"] == a["indices"]))); }
inline Value rule_613(const Arguments& a) { (void)a; return Value(!(truth(a["mean"]) && truth(predicates_given(a["per_sample_weights"])))); }
inline Value rule_614(const Arguments& a) { (void)a; return Value::list({at(a["router_logits"], Value(0LL)), a["k"]}); }
inline Value rule_615(const Arguments& a) { (void)a; return Value::list({(at(a["router_logits"], Value(0LL)) * a["k"])}); }
inline Value rule_616(const Arguments& a) { (void)a; return slice(a["router_logits"], Value(1LL), Value()); }
inline Value rule_617(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["router_logits"]) == Value(2LL))) && truth((functions_numel(a["router_logits"]) > Value(0LL)))); }
inline Value rule_618(const Arguments& a) { (void)a; return Value(truth((Value(0LL) < a["k"])) && truth((a["k"] <= at(a["router_logits"], Value(1LL))))); }
inline Value rule_619(const Arguments& a) { (void)a; return a["gate"]; }
inline Value rule_620(const Arguments& a) { (void)a; return (a["gate"] == a["up"]); }
inline Value rule_621(const Arguments& a) { (void)a; return Value(truth((a["num_groups"] > Value(0LL))) && truth(((at(a["input"], Value(1LL)) % a["num_groups"]) == Value(0LL)))); }
inline Value rule_622(const Arguments& a) { (void)a; return ((functions_numel(slice(a["input"], Value(2LL), Value())) * at(a["input"], Value(1LL))) > a["num_groups"]); }
inline Value rule_623(const Arguments& a) { (void)a; return Value::list({at(a["input"], Value(0LL)), at(a["input"], Value(1LL)), at(a["h"], Value(1LL))}); }
inline Value rule_624(const Arguments& a) { (void)a; return a["h"]; }
inline Value rule_625(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) == Value(3LL))) && truth((functions_rank(a["h"]) == Value(2LL))) && truth((functions_numel(a["input"]) > Value(0LL)))); }
inline Value rule_626(const Arguments& a) { (void)a; return (at(a["h"], Value(0LL)) == at(a["input"], (truth(a["batch_first"]) ? Value(0LL) : Value(1LL)))); }
inline Value rule_627(const Arguments& a) { (void)a; return Value(truth((a["weight_ih"] == Value::list({(Value(3LL) * at(a["h"], Value(1LL))), at(a["input"], Value(2LL))}))) && truth((a["weight_hh"] == Value::list({(Value(3LL) * at(a["h"], Value(1LL))), at(a["h"], Value(1LL))})))); }
inline Value rule_628(const Arguments& a) { (void)a; return Value(truth((predicates_given(a["bias_ih"]) == predicates_given(a["bias_hh"]))) && (!truth(predicates_given(a["bias_ih"])) || truth((a["bias_ih"] == Value::list({(Value(3LL) * at(a["h"], Value(1LL)))}))))); }
inline Value rule_629(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias_hh"])) || truth((a["bias_hh"] == Value::list({(Value(3LL) * at(a["h"], Value(1LL)))})))); }
inline Value rule_630(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) >= Value(3LL))) && truth((functions_numel(slice(a["input"], Value(2LL), Value())) > Value(1LL)))); }
inline Value rule_631(const Arguments& a) { (void)a; return (slice(a["input"], Value(), Value(2LL)) + a["size"]); }
inline Value rule_632(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["input"]) == Value(3LL))) || truth((functions_rank(a["input"]) == Value(4LL)))) && truth((functions_rank(a["size"]) == (functions_rank(a["input"]) - Value(2LL))))); }
inline Value rule_633(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["input"]) > Value(0LL))) && truth((fold_min(Value::list({a["size"]})) > Value(0LL)))); }
inline Value rule_634(const Arguments& a) { (void)a; return Value(truth(a["linear"]) || !truth(a["align_corners"])); }
inline Value rule_635(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["scales"])) || truth((length(a["scales"]) == functions_rank(a["size"])))); }
inline Value rule_636(const Arguments& a) { (void)a; return a["cache"]; }
inline Value rule_637(const Arguments& a) { (void)a; return Value(truth(predicates_in_range(a["dim"], functions_rank(a["cache"]))) && truth((functions_rank(a["positions"]) == Value(1LL)))); }
inline Value rule_638(const Arguments& a) { (void)a; return Value(truth(predicates_same_except(a["cache"], a["update"], a["dim"])) && truth((functions_size(a["update"], a["dim"]) == at(a["positions"], Value(0LL))))); }
inline Value rule_639(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth(predicates_in_range(a["dim"], functions_rank(a["input"])))); }
inline Value rule_640(const Arguments& a) { (void)a; return a["B"]; }
inline Value rule_641(const Arguments& a) { (void)a; return (slice(a["LD"], Value(), (-Value(1LL))) == slice(a["B"], Value(), (-Value(1LL)))); }
inline Value rule_642(const Arguments& a) { (void)a; return (slice(a["input"], Value(), (functions_rank(a["input"]) - Value(1LL))) + slice(a["weight"], Value(), Value(1LL))); }
inline Value rule_643(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth((functions_rank(a["weight"]) == Value(2LL)))); }
inline Value rule_644(const Arguments& a) { (void)a; return (at(a["input"], (functions_rank(a["input"]) - Value(1LL))) == at(a["weight"], Value(1LL))); }
inline Value rule_645(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == slice(a["weight"], Value(), Value(1LL))))); }
inline Value rule_646(const Arguments& a) { (void)a; return a["c"]; }
inline Value rule_647(const Arguments& a) { (void)a; return Value(truth((a["weight_ih"] == Value::list({(Value(4LL) * at(a["h"], Value(1LL))), at(a["input"], Value(2LL))}))) && truth((a["weight_hh"] == Value::list({(Value(4LL) * at(a["h"], Value(1LL))), at(a["h"], Value(1LL))})))); }
inline Value rule_648(const Arguments& a) { (void)a; return Value(truth((predicates_given(a["bias_ih"]) == predicates_given(a["bias_hh"]))) && (!truth(predicates_given(a["bias_ih"])) || truth((a["bias_ih"] == Value::list({(Value(4LL) * at(a["h"], Value(1LL)))}))))); }
inline Value rule_649(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias_hh"])) || truth((a["bias_hh"] == Value::list({(Value(4LL) * at(a["h"], Value(1LL)))})))); }
inline Value rule_650(const Arguments& a) { (void)a; return (a["c"] == a["h"]); }
inline Value rule_651(const Arguments& a) { (void)a; return ((indexing_broadcast(Value::list({slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL))), slice(a["other"], Value(), (functions_rank(a["other"]) - Value(2LL)))})) + (truth((functions_rank(a["self"]) > Value(1LL))) ? slice(a["self"], (functions_rank(a["self"]) - Value(2LL)), (functions_rank(a["self"]) - Value(1LL))) : Value::list({}))) + (truth((functions_rank(a["other"]) > Value(1LL))) ? slice(a["other"], (functions_rank(a["other"]) - Value(1LL)), Value()) : Value::list({}))); }
inline Value rule_652(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) && truth((functions_rank(a["other"]) > Value(0LL)))); }
inline Value rule_653(const Arguments& a) { (void)a; return (at(a["self"], (functions_rank(a["self"]) - Value(1LL))) == (truth((functions_rank(a["other"]) > Value(1LL))) ? at(a["other"], (functions_rank(a["other"]) - Value(2LL))) : at(a["other"], Value(0LL)))); }
inline Value rule_654(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth((functions_rank(a["weight"]) == Value(2LL))) && truth((functions_rank(a["scales"]) == Value(2LL)))); }
inline Value rule_655(const Arguments& a) { (void)a; return Value(truth((at(a["scales"], Value(0LL)) == at(a["weight"], Value(0LL)))) && truth((at(a["scales"], Value(1LL)) > Value(0LL))) && truth(((at(a["weight"], Value(1LL)) % at(a["scales"], Value(1LL))) == Value(0LL)))); }
inline Value rule_656(const Arguments& a) { (void)a; return (truth(predicates_given(a["weight"])) ? a["weight"] : Value::list({Value(0LL)})); }
inline Value rule_657(const Arguments& a) { (void)a; return (a["grad_output"] == a["input"]); }
inline Value rule_658(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["x"]) > Value(0LL))) && truth(((at(a["x"], (functions_rank(a["x"]) - Value(1LL))) % Value(2LL)) == Value(0LL)))); }
inline Value rule_659(const Arguments& a) { (void)a; return Value(truth((a["cos"] == a["sin"])) && truth(predicates_expandable(a["cos"], a["x"]))); }
inline Value rule_660(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["grad_output"]) > Value(0LL))) && truth(((at(a["grad_output"], (functions_rank(a["grad_output"]) - Value(1LL))) % Value(2LL)) == Value(0LL)))); }
inline Value rule_661(const Arguments& a) { (void)a; return Value(truth((a["cos"] == a["sin"])) && truth(predicates_expandable(a["cos"], a["grad_output"]))); }
inline Value rule_662(const Arguments& a) { (void)a; return (slice(a["query"], Value(), (functions_rank(a["query"]) - Value(1LL))) + slice(a["value"], (functions_rank(a["value"]) - Value(1LL)), Value())); }
inline Value rule_663(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["query"]) >= Value(3LL))) && truth((functions_rank(a["query"]) <= Value(4LL))) && truth((functions_rank(a["key"]) == functions_rank(a["query"]))) && truth((functions_rank(a["value"]) == functions_rank(a["query"])))); }
inline Value rule_664(const Arguments& a) { (void)a; return Value(truth((at(a["query"], Value(0LL)) == at(a["key"], Value(0LL)))) && truth((slice(a["key"], Value(), (functions_rank(a["key"]) - Value(1LL))) == slice(a["value"], Value(), (functions_rank(a["value"]) - Value(1LL)))))); }
inline Value rule_665(const Arguments& a) { (void)a; return (at(a["query"], (functions_rank(a["query"]) - Value(1LL))) == at(a["key"], (functions_rank(a["key"]) - Value(1LL)))); }
inline Value rule_666(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["query"]) < Value(4LL))) || (truth((at(a["key"], Value(1LL)) > Value(0LL))) && truth(((at(a["query"], Value(1LL)) % at(a["key"], Value(1LL))) == Value(0LL))))); }
inline Value rule_667(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["query"]) > Value(0LL))) && truth((functions_numel(a["key"]) > Value(0LL))) && truth((functions_numel(a["value"]) > Value(0LL)))); }
inline Value rule_668(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["attn_mask"])) || truth(predicates_expandable(a["attn_mask"], (slice(a["query"], Value(), (functions_rank(a["query"]) - Value(1LL))) + slice(a["key"], (functions_rank(a["key"]) - Value(2LL)), (functions_rank(a["key"]) - Value(1LL))))))); }
inline Value rule_669(const Arguments& a) { (void)a; return Value(!(truth(a["is_causal"]) && truth(predicates_given(a["attn_mask"])))); }
inline Value rule_670(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dropout_mask"])) || truth((a["dropout_mask"] == (slice(a["query"], Value(), (functions_rank(a["query"]) - Value(1LL))) + slice(a["key"], (functions_rank(a["key"]) - Value(2LL)), (functions_rank(a["key"]) - Value(1LL))))))); }
inline Value rule_671(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["query"], Value(), (functions_rank(a["query"]) - Value(1LL))) + slice(a["value"], (functions_rank(a["value"]) - Value(1LL)), Value()))); }
inline Value rule_672(const Arguments& a) { (void)a; return Value(truth(predicates_floating(a.dtype("self"))) || truth(predicates_integral(a.dtype("self")))); }
inline Value rule_673(const Arguments& a) { (void)a; return (slice(a["input"], Value(), (functions_rank(a["input"]) - Value(1LL))) + Value::list({floordiv(at(a["input"], (functions_rank(a["input"]) - Value(1LL))), Value(2LL))})); }
inline Value rule_674(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth(((at(a["input"], (functions_rank(a["input"]) - Value(1LL))) % Value(2LL)) == Value(0LL)))); }
inline Value rule_675(const Arguments& a) { (void)a; return (a["cap"] > Value(0LL)); }
inline Value rule_676(const Arguments& a) { (void)a; return a["up"]; }
inline Value rule_677(const Arguments& a) { (void)a; return Value(truth((a["gate"] == a["up"])) && truth((a["grad_output"] == a["gate"]))); }

inline const std::vector<Operator>& operators() {
  static const std::vector<Operator> all = {
    {"aten.__lshift__.Scalar", {rule_0}, {}},
    {"aten.__lshift__.Tensor", {rule_1}, {}},
    {"aten.__rshift__.Scalar", {rule_0}, {}},
    {"aten.__rshift__.Tensor", {rule_1}, {}},
    {"aten._adaptive_avg_pool2d.default", {rule_2}, {
      {"_adaptive_avg_pool2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"_adaptive_avg_pool2d.C2", "no spatial dimension is empty", rule_4},
      {"_adaptive_avg_pool2d.C3", "one output size per spatial dimension", rule_5}}},
    {"aten._adaptive_avg_pool2d_backward.default", {rule_0}, {
      {"_adaptive_avg_pool2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"_adaptive_avg_pool2d_backward.C2", "no spatial dimension is empty", rule_4},
      {"_adaptive_avg_pool2d_backward.C3", "the gradient has the input's leading dimensions", rule_6},
      {"_adaptive_avg_pool2d_backward.C4", "the pooled sizes are positive", rule_7}}},
    {"aten._adaptive_avg_pool3d.default", {rule_8}, {
      {"_adaptive_avg_pool3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"_adaptive_avg_pool3d.C2", "no spatial dimension is empty", rule_10},
      {"_adaptive_avg_pool3d.C3", "one output size per spatial dimension", rule_11}}},
    {"aten._adaptive_avg_pool3d_backward.default", {rule_0}, {
      {"_adaptive_avg_pool3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"_adaptive_avg_pool3d_backward.C2", "no spatial dimension is empty", rule_10},
      {"_adaptive_avg_pool3d_backward.C3", "the gradient has the input's leading dimensions", rule_12},
      {"_adaptive_avg_pool3d_backward.C4", "the pooled sizes are positive", rule_13}}},
    {"aten._add_relu.Scalar", {rule_0}, {}},
    {"aten._add_relu.Tensor", {rule_1}, {
      {"_add_relu.Tensor.C1", "both operands have one dtype", rule_14}}},
    {"aten._addmm_activation.default", {rule_15}, {
      {"_addmm_activation.C1", "both factors are matrices", rule_16},
      {"_addmm_activation.C2", "the inner sizes are equal", rule_17},
      {"_addmm_activation.C3", "the addend is a vector or a matrix", rule_18},
      {"_addmm_activation.C4", "the addend broadcasts to the product", rule_19},
      {"_addmm_activation.C5", "gelu is a function of floats", rule_20},
      {"_addmm_activation.C6", "integers are scaled by integers", rule_21}}},
    {"aten._aminmax.default", {rule_22, rule_22}, {
      {"_aminmax.C1", "an empty tensor has no extreme", rule_23}}},
    {"aten._aminmax.dim", {rule_24, rule_24}, {
      {"_aminmax.dim.C1", "dimensions exist and are listed once", rule_25},
      {"_aminmax.dim.C2", "something is there to be reduced", rule_26}}},
    {"aten._assert_async.default", {}, {
      {"_assert_async.C1", "the condition is one element", rule_27}}},
    {"aten._assert_async.msg", {}, {
      {"_assert_async.msg.C1", "the condition is one element", rule_27}}},
    {"aten._assert_scalar.default", {}, {}},
    {"aten._assert_tensor_metadata.default", {}, {
      {"_assert_tensor_metadata.C1", "the sizes are these", rule_28},
      {"_assert_tensor_metadata.C2", "the dtype is this", rule_29}}},
    {"aten._batch_norm_no_update.default", {rule_30, rule_31, rule_31, rule_31}, {
      {"_batch_norm_no_update.C1", "the input is [N, C, …]", rule_32},
      {"_batch_norm_no_update.C2", "the input has elements", rule_33},
      {"_batch_norm_no_update.C3", "weight has shape input[1:2]", rule_34},
      {"_batch_norm_no_update.C4", "bias has shape input[1:2]", rule_35},
      {"_batch_norm_no_update.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"_batch_norm_no_update.C6", "running statistics exist", rule_37},
      {"_batch_norm_no_update.C7", "one running mean and variance per channel", rule_38}}},
    {"aten._batch_norm_with_update_functional.default", {rule_30, rule_39, rule_39, rule_31, rule_40, rule_41}, {
      {"_batch_norm_with_update_functional.C1", "the input is [N, C, …]", rule_32},
      {"_batch_norm_with_update_functional.C2", "the input has elements", rule_33},
      {"_batch_norm_with_update_functional.C3", "weight has shape input[1:2]", rule_34},
      {"_batch_norm_with_update_functional.C4", "bias has shape input[1:2]", rule_35},
      {"_batch_norm_with_update_functional.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"_batch_norm_with_update_functional.C6", "one running mean and variance per channel", rule_38}}},
    {"aten._cdist_backward.default", {rule_42}, {
      {"_cdist_backward.C1", "rows of both have one length", rule_43},
      {"_cdist_backward.C2", "the order is not negative", rule_44},
      {"_cdist_backward.C3", "there is a gradient for each pair", rule_45},
      {"_cdist_backward.C4", "there is a distance for each pair", rule_46}}},
    {"aten._cdist_forward.default", {rule_47}, {
      {"_cdist_forward.C1", "rows of both have one length", rule_43},
      {"_cdist_forward.C2", "the order is not negative", rule_44},
      {"_cdist_forward.C3", "a matrix product is used if there are many rows, always, or never", rule_48}}},
    {"aten._cholesky_solve_helper.default", {rule_0}, {
      {"_cholesky_solve_helper.C1", "the matrices are square", rule_49},
      {"_cholesky_solve_helper.C2", "the right-hand sides have a row for each equation", rule_50},
      {"_cholesky_solve_helper.C3", "both have one batch", rule_51}}},
    {"aten._chunk_cat.default", {rule_52}, {
      {"_chunk_cat.C1", "there is something to join", rule_53},
      {"_chunk_cat.C2", "there is a chunk", rule_54},
      {"_chunk_cat.C3", "the dimension is counted from the front", rule_55}}},
    {"aten._conj.default", {rule_0}, {}},
    {"aten._conj_copy.default", {rule_0}, {}},
    {"aten._conj_physical.default", {rule_0}, {}},
    {"aten._dirichlet_grad.default", {rule_56}, {
      {"_dirichlet_grad.C1", "the operands have one shape", rule_57}}},
    {"aten._efficientzerotensor.default", {rule_58}, {}},
    {"aten._euclidean_dist.default", {rule_47}, {
      {"_euclidean_dist.C1", "rows of both have one length", rule_43}}},
    {"aten._fake_quantize_learnable_per_channel_affine.default", {rule_0}, {
      {"_fake_quantize_learnable_per_channel_affine.C1", "the range is not empty", rule_59},
      {"_fake_quantize_learnable_per_channel_affine.C2", "the channel axis exists, counted from the front", rule_60},
      {"_fake_quantize_learnable_per_channel_affine.C3", "one scale and zero point for each channel", rule_61}}},
    {"aten._fake_quantize_learnable_per_channel_affine_backward.default", {rule_0, rule_62, rule_62}, {
      {"_fake_quantize_learnable_per_channel_affine_backward.C1", "the gradient has the shape of the input", rule_63},
      {"_fake_quantize_learnable_per_channel_affine_backward.C2", "the range is not empty", rule_64},
      {"_fake_quantize_learnable_per_channel_affine_backward.C3", "the channel axis exists, counted from the front", rule_60},
      {"_fake_quantize_learnable_per_channel_affine_backward.C4", "one scale and zero point for each channel", rule_61},
      {"_fake_quantize_learnable_per_channel_affine_backward.C5", "there is something to be summed", rule_65}}},
    {"aten._fake_quantize_learnable_per_tensor_affine.default", {rule_0}, {
      {"_fake_quantize_learnable_per_tensor_affine.C1", "the range is not empty", rule_59},
      {"_fake_quantize_learnable_per_tensor_affine.C2", "one scale and zero point", rule_66}}},
    {"aten._fake_quantize_learnable_per_tensor_affine_backward.default", {rule_0, rule_67, rule_67}, {
      {"_fake_quantize_learnable_per_tensor_affine_backward.C1", "the gradient has the shape of the input", rule_63},
      {"_fake_quantize_learnable_per_tensor_affine_backward.C2", "the range is not empty", rule_64},
      {"_fake_quantize_learnable_per_tensor_affine_backward.C3", "one scale and zero point", rule_66}}},
    {"aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default", {rule_0, rule_0}, {
      {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams.C1", "the range is not empty", rule_59},
      {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams.C2", "one scale and zero point", rule_66},
      {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams.C3", "one switch", rule_68}}},
    {"aten._fft_c2c.default", {rule_0}, {
      {"_fft_c2c.C1", "the dimensions exist and are listed once", rule_25},
      {"_fft_c2c.C2", "no scale, by the root of the length, by the length", rule_69},
      {"_fft_c2c.C3", "something is there to be transformed", rule_70}}},
    {"aten._fft_c2r.default", {rule_71}, {
      {"_fft_c2r.C1", "the dimensions exist and are listed once", rule_25},
      {"_fft_c2r.C2", "no scale, by the root of the length, by the length", rule_69},
      {"_fft_c2r.C3", "something is there to be transformed", rule_72},
      {"_fft_c2r.C4", "the last dimension is half of the spectrum of the result", rule_73}}},
    {"aten._fft_r2c.default", {rule_74}, {
      {"_fft_r2c.C1", "the dimensions exist and are listed once", rule_25},
      {"_fft_r2c.C2", "no scale, by the root of the length, by the length", rule_69},
      {"_fft_r2c.C3", "something is there to be transformed", rule_75}}},
    {"aten._foreach_abs.default", {rule_0}, {
      {"_foreach_abs.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_acos.default", {rule_0}, {
      {"_foreach_acos.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_add.List", {rule_77}, {
      {"_foreach_add.List.C1", "the lists hold tensors", rule_76},
      {"_foreach_add.List.C2", "the lists have one length", rule_78}}},
    {"aten._foreach_add.Scalar", {rule_0}, {
      {"_foreach_add.Scalar.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_add.ScalarList", {rule_0}, {
      {"_foreach_add.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_add.ScalarList.C2", "the lists have one length", rule_79}}},
    {"aten._foreach_add.Tensor", {rule_77}, {
      {"_foreach_add.Tensor.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_addcdiv.Scalar", {rule_80}, {
      {"_foreach_addcdiv.Scalar.C1", "the lists hold tensors", rule_76},
      {"_foreach_addcdiv.Scalar.C2", "the lists have one length", rule_81},
      {"_foreach_addcdiv.Scalar.C3", "the lists have one length", rule_82},
      {"_foreach_addcdiv.Scalar.C4", "one of the operands of the division is not an integer", rule_83}}},
    {"aten._foreach_addcdiv.ScalarList", {rule_80}, {
      {"_foreach_addcdiv.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_addcdiv.ScalarList.C2", "the lists have one length", rule_81},
      {"_foreach_addcdiv.ScalarList.C3", "the lists have one length", rule_82},
      {"_foreach_addcdiv.ScalarList.C4", "the lists have one length", rule_79},
      {"_foreach_addcdiv.ScalarList.C5", "one of the operands of the division is not an integer", rule_83}}},
    {"aten._foreach_addcdiv.Tensor", {rule_80}, {
      {"_foreach_addcdiv.Tensor.C1", "the lists hold tensors", rule_76},
      {"_foreach_addcdiv.Tensor.C2", "the lists have one length", rule_84},
      {"_foreach_addcdiv.Tensor.C3", "one factor for each position", rule_85}}},
    {"aten._foreach_addcmul.Scalar", {rule_80}, {
      {"_foreach_addcmul.Scalar.C1", "the lists hold tensors", rule_76},
      {"_foreach_addcmul.Scalar.C2", "the lists have one length", rule_81},
      {"_foreach_addcmul.Scalar.C3", "the lists have one length", rule_82}}},
    {"aten._foreach_addcmul.ScalarList", {rule_80}, {
      {"_foreach_addcmul.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_addcmul.ScalarList.C2", "the lists have one length", rule_81},
      {"_foreach_addcmul.ScalarList.C3", "the lists have one length", rule_82},
      {"_foreach_addcmul.ScalarList.C4", "the lists have one length", rule_79}}},
    {"aten._foreach_addcmul.Tensor", {rule_80}, {
      {"_foreach_addcmul.Tensor.C1", "the lists hold tensors", rule_76},
      {"_foreach_addcmul.Tensor.C2", "the lists have one length", rule_84},
      {"_foreach_addcmul.Tensor.C3", "one factor for each position", rule_85}}},
    {"aten._foreach_asin.default", {rule_0}, {
      {"_foreach_asin.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_atan.default", {rule_0}, {
      {"_foreach_atan.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_ceil.default", {rule_0}, {
      {"_foreach_ceil.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_clamp_max.List", {rule_77}, {
      {"_foreach_clamp_max.List.C1", "the lists hold tensors", rule_76},
      {"_foreach_clamp_max.List.C2", "the lists have one length", rule_78}}},
    {"aten._foreach_clamp_max.Scalar", {rule_0}, {
      {"_foreach_clamp_max.Scalar.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_clamp_max.ScalarList", {rule_0}, {
      {"_foreach_clamp_max.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_clamp_max.ScalarList.C2", "the lists have one length", rule_79}}},
    {"aten._foreach_clamp_min.List", {rule_77}, {
      {"_foreach_clamp_min.List.C1", "the lists hold tensors", rule_76},
      {"_foreach_clamp_min.List.C2", "the lists have one length", rule_78}}},
    {"aten._foreach_clamp_min.Scalar", {rule_0}, {
      {"_foreach_clamp_min.Scalar.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_clamp_min.ScalarList", {rule_0}, {
      {"_foreach_clamp_min.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_clamp_min.ScalarList.C2", "the lists have one length", rule_79}}},
    {"aten._foreach_clone.default", {rule_0}, {
      {"_foreach_clone.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_copy.default", {rule_0}, {
      {"_foreach_copy.C1", "the lists hold tensors", rule_76},
      {"_foreach_copy.C2", "the lists have one length", rule_86}}},
    {"aten._foreach_cos.default", {rule_0}, {
      {"_foreach_cos.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_cosh.default", {rule_0}, {
      {"_foreach_cosh.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_div.List", {rule_77}, {
      {"_foreach_div.List.C1", "the lists hold tensors", rule_76},
      {"_foreach_div.List.C2", "the lists have one length", rule_78}}},
    {"aten._foreach_div.Scalar", {rule_0}, {
      {"_foreach_div.Scalar.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_div.ScalarList", {rule_0}, {
      {"_foreach_div.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_div.ScalarList.C2", "the lists have one length", rule_79}}},
    {"aten._foreach_div.Tensor", {rule_77}, {
      {"_foreach_div.Tensor.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_erf.default", {rule_0}, {
      {"_foreach_erf.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_erfc.default", {rule_0}, {
      {"_foreach_erfc.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_exp.default", {rule_0}, {
      {"_foreach_exp.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_expm1.default", {rule_0}, {
      {"_foreach_expm1.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_floor.default", {rule_0}, {
      {"_foreach_floor.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_frac.default", {rule_0}, {
      {"_foreach_frac.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_lerp.List", {rule_87}, {
      {"_foreach_lerp.List.C1", "the lists hold tensors", rule_76},
      {"_foreach_lerp.List.C2", "the lists have one length", rule_88},
      {"_foreach_lerp.List.C3", "the lists have one length", rule_89},
      {"_foreach_lerp.List.C4", "all operands have one dtype", rule_90},
      {"_foreach_lerp.List.C5", "all operands have one dtype", rule_91}}},
    {"aten._foreach_lerp.Scalar", {rule_92}, {
      {"_foreach_lerp.Scalar.C1", "the lists hold tensors", rule_76},
      {"_foreach_lerp.Scalar.C2", "the lists have one length", rule_88},
      {"_foreach_lerp.Scalar.C3", "all operands have one dtype", rule_90}}},
    {"aten._foreach_lerp.ScalarList", {rule_92}, {
      {"_foreach_lerp.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_lerp.ScalarList.C2", "the lists have one length", rule_88},
      {"_foreach_lerp.ScalarList.C3", "the lists have one length", rule_93},
      {"_foreach_lerp.ScalarList.C4", "all operands have one dtype", rule_90}}},
    {"aten._foreach_lgamma.default", {rule_0}, {
      {"_foreach_lgamma.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_log.default", {rule_0}, {
      {"_foreach_log.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_log10.default", {rule_0}, {
      {"_foreach_log10.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_log1p.default", {rule_0}, {
      {"_foreach_log1p.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_log2.default", {rule_0}, {
      {"_foreach_log2.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_max.default", {rule_94}, {
      {"_foreach_max.C1", "the lists hold tensors", rule_76},
      {"_foreach_max.C2", "every tensor has elements", rule_95}}},
    {"aten._foreach_maximum.List", {rule_77}, {
      {"_foreach_maximum.List.C1", "the lists hold tensors", rule_76},
      {"_foreach_maximum.List.C2", "the lists have one length", rule_78}}},
    {"aten._foreach_maximum.Scalar", {rule_0}, {
      {"_foreach_maximum.Scalar.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_maximum.ScalarList", {rule_0}, {
      {"_foreach_maximum.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_maximum.ScalarList.C2", "the lists have one length", rule_79}}},
    {"aten._foreach_minimum.List", {rule_77}, {
      {"_foreach_minimum.List.C1", "the lists hold tensors", rule_76},
      {"_foreach_minimum.List.C2", "the lists have one length", rule_78}}},
    {"aten._foreach_minimum.Scalar", {rule_0}, {
      {"_foreach_minimum.Scalar.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_minimum.ScalarList", {rule_0}, {
      {"_foreach_minimum.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_minimum.ScalarList.C2", "the lists have one length", rule_79}}},
    {"aten._foreach_mm.default", {rule_96}, {
      {"_foreach_mm.C1", "the lists hold tensors", rule_76},
      {"_foreach_mm.C2", "the lists have one length", rule_97},
      {"_foreach_mm.C3", "the inner sizes agree", rule_98}}},
    {"aten._foreach_mul.List", {rule_77}, {
      {"_foreach_mul.List.C1", "the lists hold tensors", rule_76},
      {"_foreach_mul.List.C2", "the lists have one length", rule_78}}},
    {"aten._foreach_mul.Scalar", {rule_0}, {
      {"_foreach_mul.Scalar.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_mul.ScalarList", {rule_0}, {
      {"_foreach_mul.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_mul.ScalarList.C2", "the lists have one length", rule_79}}},
    {"aten._foreach_mul.Tensor", {rule_77}, {
      {"_foreach_mul.Tensor.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_neg.default", {rule_0}, {
      {"_foreach_neg.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_norm.Scalar", {rule_94}, {
      {"_foreach_norm.Scalar.C1", "the list holds tensors", rule_76},
      {"_foreach_norm.Scalar.C2", "every tensor has elements", rule_95}}},
    {"aten._foreach_pow.List", {rule_99}, {
      {"_foreach_pow.List.C1", "the lists hold tensors", rule_76},
      {"_foreach_pow.List.C2", "the lists have one length", rule_100}}},
    {"aten._foreach_pow.Scalar", {rule_0}, {
      {"_foreach_pow.Scalar.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_pow.ScalarAndTensor", {rule_101}, {
      {"_foreach_pow.ScalarAndTensor.C1", "the lists hold tensors", rule_102}}},
    {"aten._foreach_pow.ScalarList", {rule_0}, {
      {"_foreach_pow.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_pow.ScalarList.C2", "the lists have one length", rule_100}}},
    {"aten._foreach_powsum.Scalar", {rule_94}, {
      {"_foreach_powsum.Scalar.C1", "the list holds tensors", rule_76},
      {"_foreach_powsum.Scalar.C2", "every tensor has elements", rule_95}}},
    {"aten._foreach_reciprocal.default", {rule_0}, {
      {"_foreach_reciprocal.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_round.default", {rule_0}, {
      {"_foreach_round.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_rsqrt.default", {rule_0}, {
      {"_foreach_rsqrt.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_sigmoid.default", {rule_0}, {
      {"_foreach_sigmoid.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_sign.default", {rule_0}, {
      {"_foreach_sign.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_sin.default", {rule_0}, {
      {"_foreach_sin.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_sinh.default", {rule_0}, {
      {"_foreach_sinh.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_sqrt.default", {rule_0}, {
      {"_foreach_sqrt.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_sub.List", {rule_77}, {
      {"_foreach_sub.List.C1", "the lists hold tensors", rule_76},
      {"_foreach_sub.List.C2", "the lists have one length", rule_78}}},
    {"aten._foreach_sub.Scalar", {rule_0}, {
      {"_foreach_sub.Scalar.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_sub.ScalarList", {rule_0}, {
      {"_foreach_sub.ScalarList.C1", "the lists hold tensors", rule_76},
      {"_foreach_sub.ScalarList.C2", "the lists have one length", rule_79}}},
    {"aten._foreach_tan.default", {rule_0}, {
      {"_foreach_tan.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_tanh.default", {rule_0}, {
      {"_foreach_tanh.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_trunc.default", {rule_0}, {
      {"_foreach_trunc.C1", "the lists hold tensors", rule_76}}},
    {"aten._foreach_zero.default", {rule_0}, {
      {"_foreach_zero.C1", "the list holds tensors", rule_76}}},
    {"aten._functional_assert_async.msg", {rule_103}, {
      {"_functional_assert_async.msg.C1", "the condition is one element", rule_27}}},
    {"aten._functional_assert_scalar.default", {rule_103}, {}},
    {"aten._functional_sym_constrain_range.default", {rule_103}, {
      {"_functional_sym_constrain_range.C1", "the number lies in the range", rule_104}}},
    {"aten._functional_sym_constrain_range_for_size.default", {rule_103}, {
      {"_functional_sym_constrain_range_for_size.C1", "the number lies in the range", rule_104},
      {"_functional_sym_constrain_range_for_size.C2", "sizes are not negative", rule_105}}},
    {"aten._fused_moving_avg_obs_fq_helper_functional.default", {rule_0, rule_0, rule_106, rule_107, rule_62, rule_108}, {
      {"_fused_moving_avg_obs_fq_helper_functional.C1", "something is there to be observed", rule_109},
      {"_fused_moving_avg_obs_fq_helper_functional.C2", "the channel axis exists", rule_110},
      {"_fused_moving_avg_obs_fq_helper_functional.C3", "a channel has a dimension of its own", rule_111},
      {"_fused_moving_avg_obs_fq_helper_functional.C4", "one minimum, maximum, scale and zero point, or one for each channel", rule_112},
      {"_fused_moving_avg_obs_fq_helper_functional.C5", "the range is not empty", rule_64}}},
    {"aten._fused_rms_norm.default", {rule_30, rule_113}, {
      {"_fused_rms_norm.C1", "the input ends in normalized_shape", rule_114},
      {"_fused_rms_norm.C2", "weight has shape normalized_shape", rule_115}}},
    {"aten._fused_rms_norm_backward.default", {rule_116, rule_117}, {
      {"_fused_rms_norm_backward.C1", "the input ends in normalized_shape", rule_114},
      {"_fused_rms_norm_backward.C2", "the gradient has the shape of the input", rule_118},
      {"_fused_rms_norm_backward.C3", "one rstd per row", rule_119},
      {"_fused_rms_norm_backward.C4", "weight has shape normalized_shape", rule_115}}},
    {"aten._index_put_impl.default", {rule_0}, {
      {"_index_put_impl.C1", "no more indices than dimensions, and masks as large as what they cover", rule_120},
      {"_index_put_impl.C2", "the values broadcast to what is indexed", rule_121}}},
    {"aten._is_all_true.default", {rule_22}, {}},
    {"aten._is_any_true.default", {rule_22}, {}},
    {"aten._linalg_det.default", {rule_122, rule_123, rule_124}, {
      {"_linalg_det.C1", "the matrices are square", rule_49}}},
    {"aten._linalg_eigh.default", {rule_124, rule_125}, {
      {"_linalg_eigh.C1", "the matrices are square", rule_49},
      {"_linalg_eigh.C2", "the triangle exists", rule_126}}},
    {"aten._linalg_eigvals.default", {rule_127}, {
      {"_linalg_eigvals.C1", "the matrices are square", rule_128}}},
    {"aten._linalg_slogdet.default", {rule_122, rule_122, rule_123, rule_124}, {
      {"_linalg_slogdet.C1", "the matrices are square", rule_49}}},
    {"aten._linalg_solve_ex.default", {rule_129, rule_123, rule_124, rule_122}, {
      {"_linalg_solve_ex.C1", "the matrices are square", rule_49},
      {"_linalg_solve_ex.C2", "the right-hand sides have a row for each equation", rule_130},
      {"_linalg_solve_ex.C3", "what fails is told by the status", rule_131}}},
    {"aten._linalg_svd.default", {rule_132, rule_133, rule_134}, {
      {"_linalg_svd.C1", "there are two dimensions at least", rule_135}}},
    {"aten._local_scalar_dense.default", {rule_136}, {
      {"_local_scalar_dense.C1", "there is exactly one element", rule_27}}},
    {"aten._log_softmax.default", {rule_0}, {
      {"_log_softmax.C1", "the normalized dimension exists", rule_137},
      {"_log_softmax.C2", "half_to_float widens 16-bit floats only", rule_138}}},
    {"aten._log_softmax_backward_data.default", {rule_139}, {
      {"_log_softmax_backward_data.C1", "the normalized dimension exists", rule_140},
      {"_log_softmax_backward_data.C2", "the gradient has the shape of the result", rule_141}}},
    {"aten._make_dep_token.default", {rule_136}, {}},
    {"aten._masked_softmax.default", {rule_0}, {
      {"_masked_softmax.C1", "the normalized dimension exists", rule_142},
      {"_masked_softmax.C2", "the mask is one of rows, of padding, or of the input's shape", rule_143},
      {"_masked_softmax.C3", "the mask has the shape of its type", rule_144},
      {"_masked_softmax.C4", "scores are [B, heads, L, L]", rule_145}}},
    {"aten._masked_softmax_backward.default", {rule_139}, {
      {"_masked_softmax_backward.C1", "the normalized dimension exists", rule_146},
      {"_masked_softmax_backward.C2", "all have the shape of the result", rule_147}}},
    {"aten._native_batch_norm_legit.no_stats", {rule_30, rule_39, rule_39}, {
      {"_native_batch_norm_legit.no_stats.C1", "the input is [N, C, …]", rule_32},
      {"_native_batch_norm_legit.no_stats.C2", "the input has elements", rule_33},
      {"_native_batch_norm_legit.no_stats.C3", "weight has shape input[1:2]", rule_34},
      {"_native_batch_norm_legit.no_stats.C4", "bias has shape input[1:2]", rule_35},
      {"_native_batch_norm_legit.no_stats.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"_native_batch_norm_legit.no_stats.C6", "there are no running statistics to use instead", rule_148}}},
    {"aten._native_batch_norm_legit_functional.default", {rule_30, rule_149, rule_149, rule_40, rule_41}, {
      {"_native_batch_norm_legit_functional.C1", "the input is [N, C, …]", rule_32},
      {"_native_batch_norm_legit_functional.C2", "the input has elements", rule_33},
      {"_native_batch_norm_legit_functional.C3", "weight has shape input[1:2]", rule_34},
      {"_native_batch_norm_legit_functional.C4", "bias has shape input[1:2]", rule_35},
      {"_native_batch_norm_legit_functional.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"_native_batch_norm_legit_functional.C6", "one running mean and variance per channel", rule_38}}},
    {"aten._native_batch_norm_legit_no_training.default", {rule_30, rule_31, rule_31}, {
      {"_native_batch_norm_legit_no_training.C1", "the input is [N, C, …]", rule_32},
      {"_native_batch_norm_legit_no_training.C2", "the input has elements", rule_33},
      {"_native_batch_norm_legit_no_training.C3", "weight has shape input[1:2]", rule_34},
      {"_native_batch_norm_legit_no_training.C4", "bias has shape input[1:2]", rule_35},
      {"_native_batch_norm_legit_no_training.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"_native_batch_norm_legit_no_training.C6", "one running mean and variance per channel", rule_38}}},
    {"aten._neg_view.default", {rule_0}, {}},
    {"aten._neg_view_copy.default", {rule_0}, {}},
    {"aten._new_zeros_with_same_feature_meta.default", {rule_150}, {
      {"_new_zeros_with_same_feature_meta.C1", "the batch dimensions are self's", rule_151}}},
    {"aten._pdist_backward.default", {rule_0}, {
      {"_pdist_backward.C1", "the operand is a matrix", rule_152},
      {"_pdist_backward.C2", "the order is not negative", rule_44},
      {"_pdist_backward.C3", "there is a gradient and a distance for each pair", rule_153}}},
    {"aten._pdist_forward.default", {rule_154}, {
      {"_pdist_forward.C1", "the operand is a matrix", rule_152},
      {"_pdist_forward.C2", "the order is not negative", rule_44}}},
    {"aten._prelu_kernel.default", {rule_0}, {
      {"_prelu_kernel.C1", "weight broadcasts to self", rule_155}}},
    {"aten._prelu_kernel_backward.default", {rule_0, rule_0}, {
      {"_prelu_kernel_backward.C1", "the gradient has the shape of the input", rule_156},
      {"_prelu_kernel_backward.C2", "weight broadcasts to self", rule_155}}},
    {"aten._reshape_alias.default", {rule_58}, {
      {"_reshape_alias.C1", "the number of elements stays", rule_157},
      {"_reshape_alias.C2", "one stride a dimension", rule_158}}},
    {"aten._reshape_alias_copy.default", {rule_58}, {
      {"_reshape_alias_copy.C1", "the number of elements stays", rule_157},
      {"_reshape_alias_copy.C2", "one stride a dimension", rule_158}}},
    {"aten._reshape_copy.default", {rule_159}, {}},
    {"aten._safe_softmax.default", {rule_0}, {
      {"_safe_softmax.C1", "the normalized dimension exists", rule_137}}},
    {"aten._sample_dirichlet.default", {rule_0}, {
      {"_sample_dirichlet.C1", "the last dimension holds the concentrations", rule_160}}},
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", {rule_161, rule_162}, {
      {"_scaled_dot_product_flash_attention_for_cpu.C1", "query, key and value are [B, H, L, D]", rule_163},
      {"_scaled_dot_product_flash_attention_for_cpu.C2", "query and key share batch and width", rule_164},
      {"_scaled_dot_product_flash_attention_for_cpu.C3", "the query heads are a multiple of the key heads", rule_165},
      {"_scaled_dot_product_flash_attention_for_cpu.C4", "this form has no dropout", rule_166},
      {"_scaled_dot_product_flash_attention_for_cpu.C5", "no size is 0", rule_167},
      {"_scaled_dot_product_flash_attention_for_cpu.C6", "the mask is of rank 2 or 4 and broadcasts to [B, H, L, S]", rule_168}}},
    {"aten._scaled_dot_product_flash_attention_for_cpu_backward.default", {rule_161, rule_169, rule_170}, {
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C1", "query, key and value are [B, H, L, D]", rule_163},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C2", "query and key share batch and width", rule_164},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C3", "the query heads are a multiple of the key heads", rule_165},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C4", "this form has no dropout", rule_166},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C5", "no size is 0", rule_167},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C6", "the mask is of rank 2 or 4 and broadcasts to [B, H, L, S]", rule_168},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C7", "gradient and result have the shape of the query", rule_171},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C8", "one logsumexp per row", rule_172}}},
    {"aten._softmax.default", {rule_0}, {
      {"_softmax.C1", "the normalized dimension exists", rule_137},
      {"_softmax.C2", "half_to_float widens 16-bit floats only", rule_138}}},
    {"aten._softmax_backward_data.default", {rule_139}, {
      {"_softmax_backward_data.C1", "the normalized dimension exists", rule_140},
      {"_softmax_backward_data.C2", "the gradient has the shape of the result", rule_141}}},
    {"aten._stack.default", {rule_173}, {
      {"_stack.C1", "there is something to stack", rule_53}}},
    {"aten._standard_gamma.default", {rule_0}, {}},
    {"aten._standard_gamma_grad.default", {rule_174}, {}},
    {"aten._to_copy.default", {rule_0}, {}},
    {"aten._trilinear.default", {rule_175}, {
      {"_trilinear.C1", "all operands have as many dimensions", rule_176},
      {"_trilinear.C2", "the dimension that may be looped over exists", rule_177}}},
    {"aten._unsafe_index.Tensor", {rule_178}, {
      {"_unsafe_index.Tensor.C1", "no more indices than dimensions, and masks as large as what they cover", rule_120}}},
    {"aten._unsafe_index_put.default", {rule_0}, {
      {"_unsafe_index_put.C1", "no more indices than dimensions, and masks as large as what they cover", rule_120},
      {"_unsafe_index_put.C2", "the values broadcast to what is indexed", rule_121}}},
    {"aten._unsafe_masked_index.default", {rule_178}, {
      {"_unsafe_masked_index.C1", "no more indices than dimensions, and masks as large as what they cover", rule_120},
      {"_unsafe_masked_index.C2", "there is something to index", rule_23},
      {"_unsafe_masked_index.C3", "the mask broadcasts to what is indexed", rule_179}}},
    {"aten._unsafe_masked_index_put_accumulate.default", {rule_0}, {
      {"_unsafe_masked_index_put_accumulate.C1", "no more indices than dimensions, and masks as large as what they cover", rule_120},
      {"_unsafe_masked_index_put_accumulate.C2", "there is something to index", rule_23},
      {"_unsafe_masked_index_put_accumulate.C3", "the mask broadcasts to what is indexed", rule_179},
      {"_unsafe_masked_index_put_accumulate.C4", "the values broadcast to what is indexed", rule_121}}},
    {"aten._unsafe_view.default", {rule_159}, {}},
    {"aten._upsample_bicubic2d_aa.default", {rule_180}, {
      {"_upsample_bicubic2d_aa.C1", "the input is [N, C, *spatial]", rule_181},
      {"_upsample_bicubic2d_aa.C2", "only the batch may be empty", rule_182},
      {"_upsample_bicubic2d_aa.C3", "one output size per spatial dimension", rule_5}}},
    {"aten._upsample_bicubic2d_aa_backward.default", {rule_183}, {
      {"_upsample_bicubic2d_aa_backward.C1", "the gradient is [N, C, *spatial]", rule_184},
      {"_upsample_bicubic2d_aa_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"_upsample_bicubic2d_aa_backward.C3", "only the batch may be empty", rule_186},
      {"_upsample_bicubic2d_aa_backward.C4", "one output size per spatial dimension", rule_5}}},
    {"aten._upsample_bilinear2d_aa.default", {rule_180}, {
      {"_upsample_bilinear2d_aa.C1", "the input is [N, C, *spatial]", rule_181},
      {"_upsample_bilinear2d_aa.C2", "only the batch may be empty", rule_182},
      {"_upsample_bilinear2d_aa.C3", "one output size per spatial dimension", rule_5}}},
    {"aten._upsample_bilinear2d_aa_backward.default", {rule_183}, {
      {"_upsample_bilinear2d_aa_backward.C1", "the gradient is [N, C, *spatial]", rule_184},
      {"_upsample_bilinear2d_aa_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"_upsample_bilinear2d_aa_backward.C3", "only the batch may be empty", rule_186},
      {"_upsample_bilinear2d_aa_backward.C4", "one output size per spatial dimension", rule_5}}},
    {"aten._upsample_lanczos2d_aa.default", {rule_180}, {
      {"_upsample_lanczos2d_aa.C1", "the input is [N, C, *spatial]", rule_181},
      {"_upsample_lanczos2d_aa.C2", "only the batch may be empty", rule_182},
      {"_upsample_lanczos2d_aa.C3", "one output size per spatial dimension", rule_5}}},
    {"aten._upsample_lanczos2d_aa_backward.default", {rule_183}, {
      {"_upsample_lanczos2d_aa_backward.C1", "the gradient is [N, C, *spatial]", rule_184},
      {"_upsample_lanczos2d_aa_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"_upsample_lanczos2d_aa_backward.C3", "only the batch may be empty", rule_186},
      {"_upsample_lanczos2d_aa_backward.C4", "one output size per spatial dimension", rule_5}}},
    {"aten._upsample_nearest_exact1d.default", {rule_180}, {
      {"_upsample_nearest_exact1d.C1", "the input is [N, C, *spatial]", rule_187},
      {"_upsample_nearest_exact1d.C2", "only the batch may be empty", rule_182},
      {"_upsample_nearest_exact1d.C3", "one output size per spatial dimension", rule_188}}},
    {"aten._upsample_nearest_exact1d_backward.default", {rule_183}, {
      {"_upsample_nearest_exact1d_backward.C1", "the gradient is [N, C, *spatial]", rule_189},
      {"_upsample_nearest_exact1d_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"_upsample_nearest_exact1d_backward.C3", "only the batch may be empty", rule_186},
      {"_upsample_nearest_exact1d_backward.C4", "one output size per spatial dimension", rule_188}}},
    {"aten._upsample_nearest_exact2d.default", {rule_180}, {
      {"_upsample_nearest_exact2d.C1", "the input is [N, C, *spatial]", rule_181},
      {"_upsample_nearest_exact2d.C2", "only the batch may be empty", rule_182},
      {"_upsample_nearest_exact2d.C3", "one output size per spatial dimension", rule_5}}},
    {"aten._upsample_nearest_exact2d_backward.default", {rule_183}, {
      {"_upsample_nearest_exact2d_backward.C1", "the gradient is [N, C, *spatial]", rule_184},
      {"_upsample_nearest_exact2d_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"_upsample_nearest_exact2d_backward.C3", "only the batch may be empty", rule_186},
      {"_upsample_nearest_exact2d_backward.C4", "one output size per spatial dimension", rule_5}}},
    {"aten._upsample_nearest_exact3d.default", {rule_180}, {
      {"_upsample_nearest_exact3d.C1", "the input is [N, C, *spatial]", rule_190},
      {"_upsample_nearest_exact3d.C2", "only the batch may be empty", rule_182},
      {"_upsample_nearest_exact3d.C3", "one output size per spatial dimension", rule_11}}},
    {"aten._upsample_nearest_exact3d_backward.default", {rule_183}, {
      {"_upsample_nearest_exact3d_backward.C1", "the gradient is [N, C, *spatial]", rule_191},
      {"_upsample_nearest_exact3d_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"_upsample_nearest_exact3d_backward.C3", "only the batch may be empty", rule_186},
      {"_upsample_nearest_exact3d_backward.C4", "one output size per spatial dimension", rule_11}}},
    {"aten._weight_norm_interface.default", {rule_192, rule_193}, {
      {"_weight_norm_interface.C1", "the dimension that is kept is the first or the last", rule_194},
      {"_weight_norm_interface.C2", "one length for each slice", rule_195}}},
    {"aten._weight_norm_interface_backward.default", {rule_196, rule_197}, {
      {"_weight_norm_interface_backward.C1", "the dimension that is kept is the first or the last", rule_198},
      {"_weight_norm_interface_backward.C2", "the gradient has the shape of the weight", rule_199},
      {"_weight_norm_interface_backward.C3", "one length for each slice", rule_200},
      {"_weight_norm_interface_backward.C4", "one norm for each slice", rule_201}}},
    {"aten.abs.default", {rule_0}, {}},
    {"aten.acos.default", {rule_0}, {}},
    {"aten.acosh.default", {rule_0}, {}},
    {"aten.adaptive_max_pool2d.default", {rule_2, rule_2}, {
      {"adaptive_max_pool2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"adaptive_max_pool2d.C2", "only the batch may be empty", rule_10},
      {"adaptive_max_pool2d.C3", "one output size per spatial dimension", rule_5}}},
    {"aten.adaptive_max_pool2d_backward.default", {rule_0}, {
      {"adaptive_max_pool2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"adaptive_max_pool2d_backward.C2", "only the batch may be empty", rule_10},
      {"adaptive_max_pool2d_backward.C3", "the gradient has the shape of the forward result", rule_202},
      {"adaptive_max_pool2d_backward.C4", "one index per pooled element", rule_203},
      {"adaptive_max_pool2d_backward.C5", "the pooled sizes are positive", rule_7}}},
    {"aten.adaptive_max_pool3d.default", {rule_8, rule_8}, {
      {"adaptive_max_pool3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"adaptive_max_pool3d.C2", "only the batch may be empty", rule_204},
      {"adaptive_max_pool3d.C3", "one output size per spatial dimension", rule_11}}},
    {"aten.adaptive_max_pool3d_backward.default", {rule_0}, {
      {"adaptive_max_pool3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"adaptive_max_pool3d_backward.C2", "only the batch may be empty", rule_204},
      {"adaptive_max_pool3d_backward.C3", "the gradient has the shape of the forward result", rule_205},
      {"adaptive_max_pool3d_backward.C4", "one index per pooled element", rule_203},
      {"adaptive_max_pool3d_backward.C5", "the pooled sizes are positive", rule_13}}},
    {"aten.add.Scalar", {rule_0}, {}},
    {"aten.add.Tensor", {rule_1}, {}},
    {"aten.addbmm.default", {rule_206}, {
      {"addbmm.C1", "both factors are batches of matrices", rule_207},
      {"addbmm.C2", "batch and inner sizes are equal", rule_208},
      {"addbmm.C3", "the addend broadcasts to the product", rule_209},
      {"addbmm.C4", "integers are scaled by integers", rule_21}}},
    {"aten.addcdiv.default", {rule_210}, {
      {"addcdiv.C1", "one of the operands of the division is not an integer", rule_83}}},
    {"aten.addcmul.default", {rule_210}, {}},
    {"aten.addmm.default", {rule_15}, {
      {"addmm.C1", "both factors are matrices", rule_16},
      {"addmm.C2", "the inner sizes are equal", rule_17},
      {"addmm.C3", "the addend broadcasts to the product", rule_19},
      {"addmm.C4", "integers are scaled by integers", rule_21}}},
    {"aten.addmm.dtype", {rule_15}, {
      {"addmm.dtype.C1", "both factors are matrices", rule_16},
      {"addmm.dtype.C2", "the inner sizes are equal", rule_17},
      {"addmm.dtype.C3", "the addend broadcasts to the product", rule_19},
      {"addmm.dtype.C4", "products are rounded or float32", rule_211},
      {"addmm.dtype.C5", "integers are scaled by integers", rule_212}}},
    {"aten.addmv.default", {rule_213}, {
      {"addmv.C1", "a matrix and a vector", rule_214},
      {"addmv.C2", "the inner sizes are equal", rule_215},
      {"addmv.C3", "the addend broadcasts to the product", rule_216},
      {"addmv.C4", "integers are scaled by integers", rule_21}}},
    {"aten.addr.default", {rule_217}, {
      {"addr.C1", "both factors are vectors", rule_218},
      {"addr.C2", "the addend broadcasts to the product", rule_219},
      {"addr.C3", "integers are scaled by integers", rule_21}}},
    {"aten.alias.default", {rule_0}, {}},
    {"aten.alias_copy.default", {rule_0}, {}},
    {"aten.all.default", {rule_22}, {}},
    {"aten.all.dim", {rule_24}, {
      {"all.dim.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.all.dims", {rule_24}, {
      {"all.dims.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.allclose.default", {rule_136}, {
      {"allclose.C1", "tolerances are not negative", rule_220}}},
    {"aten.amax.default", {rule_24}, {
      {"amax.C1", "dimensions exist and are listed once", rule_25},
      {"amax.C2", "something is there to be reduced", rule_26}}},
    {"aten.amin.default", {rule_24}, {
      {"amin.C1", "dimensions exist and are listed once", rule_25},
      {"amin.C2", "something is there to be reduced", rule_26}}},
    {"aten.aminmax.default", {rule_24, rule_24}, {
      {"aminmax.C1", "dimensions exist and are listed once", rule_25},
      {"aminmax.C2", "an empty tensor has no extreme", rule_23},
      {"aminmax.C3", "something is there to be reduced", rule_26}}},
    {"aten.angle.default", {rule_0}, {}},
    {"aten.any.default", {rule_22}, {}},
    {"aten.any.dim", {rule_24}, {
      {"any.dim.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.any.dims", {rule_24}, {
      {"any.dims.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.arange.default", {rule_221}, {
      {"arange.C1", "an integer ramp has integer bounds", rule_222}}},
    {"aten.arange.start", {rule_223}, {
      {"arange.start.C1", "an integer ramp has integer bounds", rule_224}}},
    {"aten.arange.start_step", {rule_225}, {
      {"arange.start_step.C1", "the step is not zero", rule_226}}},
    {"aten.argmax.default", {rule_24}, {
      {"argmax.C1", "dimensions exist and are listed once", rule_25},
      {"argmax.C2", "an empty tensor has no extreme", rule_227},
      {"argmax.C3", "something is there to be reduced", rule_26}}},
    {"aten.argmin.default", {rule_24}, {
      {"argmin.C1", "dimensions exist and are listed once", rule_25},
      {"argmin.C2", "an empty tensor has no extreme", rule_227},
      {"argmin.C3", "something is there to be reduced", rule_26}}},
    {"aten.as_strided.default", {rule_58}, {
      {"as_strided.C1", "one stride a dimension", rule_158},
      {"as_strided.C2", "every element lies in a row-major operand", rule_228}}},
    {"aten.as_strided_copy.default", {rule_58}, {
      {"as_strided_copy.C1", "one stride a dimension", rule_158},
      {"as_strided_copy.C2", "every element lies in a row-major operand", rule_228}}},
    {"aten.as_strided_scatter.default", {rule_0}, {
      {"as_strided_scatter.C1", "one stride a dimension", rule_158},
      {"as_strided_scatter.C2", "the source has the shape of the view", rule_229},
      {"as_strided_scatter.C3", "every element lies in a row-major operand", rule_228}}},
    {"aten.asin.default", {rule_0}, {}},
    {"aten.asinh.default", {rule_0}, {}},
    {"aten.atan.default", {rule_0}, {}},
    {"aten.atan2.default", {rule_1}, {}},
    {"aten.atanh.default", {rule_0}, {}},
    {"aten.avg_pool2d.default", {rule_230}, {
      {"avg_pool2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"avg_pool2d.C2", "the window has one size, or one per spatial dimension", rule_231},
      {"avg_pool2d.C3", "padding is at most half the window", rule_232},
      {"avg_pool2d.C4", "only the batch may be empty", rule_10},
      {"avg_pool2d.C5", "the divisor is not zero", rule_233}}},
    {"aten.avg_pool2d_backward.default", {rule_0}, {
      {"avg_pool2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"avg_pool2d_backward.C2", "the window has one size, or one per spatial dimension", rule_231},
      {"avg_pool2d_backward.C3", "padding is at most half the window", rule_232},
      {"avg_pool2d_backward.C4", "only the batch may be empty", rule_10},
      {"avg_pool2d_backward.C5", "the divisor is not zero", rule_233},
      {"avg_pool2d_backward.C6", "the gradient has the shape of the forward result", rule_234}}},
    {"aten.avg_pool3d.default", {rule_235}, {
      {"avg_pool3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"avg_pool3d.C2", "the window has one size, or one per spatial dimension", rule_236},
      {"avg_pool3d.C3", "padding is at most half the window", rule_232},
      {"avg_pool3d.C4", "only the batch may be empty", rule_204},
      {"avg_pool3d.C5", "the divisor is not zero", rule_233}}},
    {"aten.avg_pool3d_backward.default", {rule_0}, {
      {"avg_pool3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"avg_pool3d_backward.C2", "the window has one size, or one per spatial dimension", rule_236},
      {"avg_pool3d_backward.C3", "padding is at most half the window", rule_232},
      {"avg_pool3d_backward.C4", "only the batch may be empty", rule_204},
      {"avg_pool3d_backward.C5", "the divisor is not zero", rule_233},
      {"avg_pool3d_backward.C6", "the gradient has the shape of the forward result", rule_237}}},
    {"aten.baddbmm.default", {rule_238}, {
      {"baddbmm.C1", "both factors are batches of matrices", rule_207},
      {"baddbmm.C2", "batch and inner sizes are equal", rule_208},
      {"baddbmm.C3", "the addend broadcasts to the product", rule_239},
      {"baddbmm.C4", "integers are scaled by integers", rule_21}}},
    {"aten.baddbmm.dtype", {rule_238}, {
      {"baddbmm.dtype.C1", "both factors are batches of matrices", rule_207},
      {"baddbmm.dtype.C2", "batch and inner sizes are equal", rule_208},
      {"baddbmm.dtype.C3", "the addend broadcasts to the product", rule_239},
      {"baddbmm.dtype.C4", "products are rounded or float32", rule_240},
      {"baddbmm.dtype.C5", "integers are scaled by integers", rule_241}}},
    {"aten.bartlett_window.default", {rule_242}, {
      {"bartlett_window.C1", "the number of points is not negative", rule_243},
      {"bartlett_window.C2", "windows are floating", rule_244}}},
    {"aten.bartlett_window.periodic", {rule_242}, {
      {"bartlett_window.periodic.C1", "the number of points is not negative", rule_243},
      {"bartlett_window.periodic.C2", "windows are floating", rule_244}}},
    {"aten.batch_norm_backward.default", {rule_116, rule_245, rule_246}, {
      {"batch_norm_backward.C1", "the input is [N, C, …] and has elements", rule_247},
      {"batch_norm_backward.C2", "the gradient has the shape of the input", rule_118},
      {"batch_norm_backward.C3", "weight has shape input[1:2]", rule_34},
      {"batch_norm_backward.C4", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"batch_norm_backward.C5", "training saved its statistics", rule_248},
      {"batch_norm_backward.C6", "evaluation has running statistics", rule_249}}},
    {"aten.batch_norm_update_stats.default", {rule_39, rule_39}, {
      {"batch_norm_update_stats.C1", "the input is [N, C, …] and has elements", rule_247},
      {"batch_norm_update_stats.C2", "to update running statistics is not functional", rule_250}}},
    {"aten.bernoulli.Tensor", {rule_0}, {
      {"bernoulli.Tensor.C1", "the probabilities broadcast to the result", rule_251}}},
    {"aten.bernoulli.default", {rule_0}, {}},
    {"aten.bernoulli.p", {rule_0}, {
      {"bernoulli.p.C1", "p is a probability", rule_252}}},
    {"aten.binary_cross_entropy.default", {rule_253}, {
      {"binary_cross_entropy.C1", "input and target have one shape", rule_254},
      {"binary_cross_entropy.C2", "reduction is none, mean or sum", rule_255},
      {"binary_cross_entropy.C3", "the weight broadcasts to the input", rule_256}}},
    {"aten.binary_cross_entropy_backward.default", {rule_0}, {
      {"binary_cross_entropy_backward.C1", "input and target have one shape", rule_254},
      {"binary_cross_entropy_backward.C2", "reduction is none, mean or sum", rule_255},
      {"binary_cross_entropy_backward.C3", "the weight broadcasts to the input", rule_256},
      {"binary_cross_entropy_backward.C4", "the gradient has the shape of the loss", rule_257}}},
    {"aten.binary_cross_entropy_with_logits.default", {rule_253}, {
      {"binary_cross_entropy_with_logits.C1", "input and target have one shape", rule_254},
      {"binary_cross_entropy_with_logits.C2", "reduction is none, mean or sum", rule_255},
      {"binary_cross_entropy_with_logits.C3", "the weight broadcasts to the input", rule_256},
      {"binary_cross_entropy_with_logits.C4", "pos_weight broadcasts to the input", rule_258}}},
    {"aten.binomial.default", {rule_259}, {}},
    {"aten.bitwise_and.Scalar", {rule_0}, {}},
    {"aten.bitwise_and.Scalar_Tensor", {rule_260}, {}},
    {"aten.bitwise_and.Tensor", {rule_1}, {}},
    {"aten.bitwise_left_shift.Scalar_Tensor", {rule_260}, {}},
    {"aten.bitwise_left_shift.Tensor", {rule_1}, {}},
    {"aten.bitwise_left_shift.Tensor_Scalar", {rule_0}, {}},
    {"aten.bitwise_not.default", {rule_0}, {}},
    {"aten.bitwise_or.Scalar", {rule_0}, {}},
    {"aten.bitwise_or.Scalar_Tensor", {rule_260}, {}},
    {"aten.bitwise_or.Tensor", {rule_1}, {}},
    {"aten.bitwise_right_shift.Scalar_Tensor", {rule_260}, {}},
    {"aten.bitwise_right_shift.Tensor", {rule_1}, {}},
    {"aten.bitwise_right_shift.Tensor_Scalar", {rule_0}, {}},
    {"aten.bitwise_xor.Scalar", {rule_0}, {}},
    {"aten.bitwise_xor.Scalar_Tensor", {rule_260}, {}},
    {"aten.bitwise_xor.Tensor", {rule_1}, {}},
    {"aten.blackman_window.default", {rule_242}, {
      {"blackman_window.C1", "the number of points is not negative", rule_243},
      {"blackman_window.C2", "windows are floating", rule_244}}},
    {"aten.blackman_window.periodic", {rule_242}, {
      {"blackman_window.periodic.C1", "the number of points is not negative", rule_243},
      {"blackman_window.periodic.C2", "windows are floating", rule_244}}},
    {"aten.block_diag.default", {rule_261}, {
      {"block_diag.C1", "there is a block at least", rule_53}}},
    {"aten.bmm.default", {rule_262}, {
      {"bmm.C1", "both operands are batches of matrices", rule_263},
      {"bmm.C2", "batch and inner sizes are equal", rule_264}}},
    {"aten.bmm.dtype", {rule_262}, {
      {"bmm.dtype.C1", "both operands are batches of matrices", rule_263},
      {"bmm.dtype.C2", "batch and inner sizes are equal", rule_264},
      {"bmm.dtype.C3", "products are rounded or float32", rule_265}}},
    {"aten.bucketize.Scalar", {rule_136}, {
      {"bucketize.Scalar.C1", "the boundaries are one-dimensional", rule_266}}},
    {"aten.bucketize.Tensor", {rule_0}, {
      {"bucketize.Tensor.C1", "the boundaries are one-dimensional", rule_266}}},
    {"aten.cat.default", {rule_267}, {
      {"cat.C1", "there is something to concatenate", rule_53}}},
    {"aten.cauchy.default", {rule_0}, {
      {"cauchy.C1", "sigma is positive", rule_268}}},
    {"aten.ceil.default", {rule_0}, {}},
    {"aten.celu.default", {rule_0}, {}},
    {"aten.channel_shuffle.default", {rule_0}, {
      {"channel_shuffle.C1", "the input is [N, C, *]", rule_269},
      {"channel_shuffle.C2", "the channels divide by the groups", rule_270}}},
    {"aten.cholesky.default", {rule_0}, {
      {"cholesky.C1", "the matrices are square", rule_128}}},
    {"aten.cholesky_inverse.default", {rule_0}, {
      {"cholesky_inverse.C1", "the matrices are square", rule_128}}},
    {"aten.cholesky_solve.default", {rule_271}, {
      {"cholesky_solve.C1", "the matrices are square", rule_272},
      {"cholesky_solve.C2", "the right-hand sides have a row for each equation", rule_273}}},
    {"aten.clamp.Tensor", {rule_274}, {
      {"clamp.Tensor.C1", "at least one bound is given", rule_275},
      {"clamp.Tensor.C2", "bools are bounded from one side only", rule_276}}},
    {"aten.clamp.default", {rule_0}, {
      {"clamp.C1", "at least one bound is given", rule_275}}},
    {"aten.clamp_max.Tensor", {rule_277}, {}},
    {"aten.clamp_max.default", {rule_0}, {}},
    {"aten.clamp_min.Tensor", {rule_278}, {}},
    {"aten.clamp_min.default", {rule_0}, {}},
    {"aten.clone.default", {rule_0}, {}},
    {"aten.col2im.default", {rule_279}, {
      {"col2im.C1", "the columns are [C, L] or [N, C, L]", rule_280},
      {"col2im.C2", "the image has two dimensions", rule_281},
      {"col2im.C3", "one value for each of the two dimensions", rule_282},
      {"col2im.C4", "kernel, dilation and stride are positive, the padding is not negative", rule_283},
      {"col2im.C5", "the columns hold whole windows", rule_284},
      {"col2im.C6", "only the batch may be empty", rule_285},
      {"col2im.C7", "a window fits", rule_286},
      {"col2im.C8", "one column per window", rule_287}}},
    {"aten.complex.default", {rule_288}, {}},
    {"aten.constant_pad_nd.default", {rule_289}, {}},
    {"aten.convolution.default", {rule_290}, {
      {"convolution.C1", "the input is [N, C, *spatial] or [C, *spatial] with one to three spatial dimensions", rule_291},
      {"convolution.C2", "stride, padding and dilation have one value, or one per spatial dimension", rule_292},
      {"convolution.C3", "the weight's first dimension divides into the groups", rule_293},
      {"convolution.C4", "the input's channels are those the weight reads", rule_294},
      {"convolution.C5", "the kernel has elements and is no larger than the padded input", rule_295},
      {"convolution.C6", "one bias per output channel", rule_296}}},
    {"aten.convolution_backward.default", {rule_116, rule_297, rule_298}, {
      {"convolution_backward.C1", "the input is [N, C, *spatial] or [C, *spatial] with one to three spatial dimensions", rule_291},
      {"convolution_backward.C2", "stride, padding and dilation have one value, or one per spatial dimension", rule_292},
      {"convolution_backward.C3", "the weight's first dimension divides into the groups", rule_293},
      {"convolution_backward.C4", "the input's channels are those the weight reads", rule_294},
      {"convolution_backward.C5", "the kernel has elements and is no larger than the padded input", rule_295},
      {"convolution_backward.C6", "the input has a batch dimension", rule_299},
      {"convolution_backward.C7", "the gradient has the shape of the forward result", rule_300}}},
    {"aten.copy.default", {rule_0}, {
      {"copy.C1", "the source broadcasts to the destination", rule_301}}},
    {"aten.copysign.Scalar", {rule_0}, {}},
    {"aten.copysign.Tensor", {rule_1}, {}},
    {"aten.cos.default", {rule_0}, {}},
    {"aten.cosh.default", {rule_0}, {}},
    {"aten.count_nonzero.default", {rule_302}, {
      {"count_nonzero.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.count_nonzero.dim_IntList", {rule_302}, {
      {"count_nonzero.dim_IntList.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.cummax.default", {rule_0, rule_0}, {
      {"cummax.C1", "the dimension exists", rule_137}}},
    {"aten.cummin.default", {rule_0, rule_0}, {
      {"cummin.C1", "the dimension exists", rule_137}}},
    {"aten.cumprod.default", {rule_0}, {
      {"cumprod.C1", "the dimension exists", rule_137}}},
    {"aten.cumsum.default", {rule_0}, {
      {"cumsum.C1", "the dimension exists", rule_137}}},
    {"aten.deg2rad.default", {rule_0}, {}},
    {"aten.detach.default", {rule_0}, {}},
    {"aten.detach_copy.default", {rule_0}, {}},
    {"aten.diag_embed.default", {rule_303}, {
      {"diag_embed.C1", "there is a diagonal", rule_160},
      {"diag_embed.C2", "two different dimensions of the result", rule_304}}},
    {"aten.diagonal.default", {rule_305}, {
      {"diagonal.C1", "two different dimensions", rule_306}}},
    {"aten.diagonal_backward.default", {rule_307}, {
      {"diagonal_backward.C1", "two different dimensions", rule_308},
      {"diagonal_backward.C2", "the gradient has the shape of the diagonal", rule_309}}},
    {"aten.diagonal_copy.default", {rule_305}, {
      {"diagonal_copy.C1", "two different dimensions", rule_306}}},
    {"aten.diagonal_scatter.default", {rule_0}, {
      {"diagonal_scatter.C1", "the source has the shape of the diagonal", rule_310}}},
    {"aten.digamma.default", {rule_0}, {}},
    {"aten.dist.default", {rule_136}, {}},
    {"aten.div.Scalar", {rule_0}, {}},
    {"aten.div.Scalar_mode", {rule_0}, {}},
    {"aten.div.Tensor", {rule_1}, {}},
    {"aten.div.Tensor_mode", {rule_1}, {
      {"div.Tensor_mode.C2", "true division is div.Tensor", rule_311}}},
    {"aten.dot.default", {rule_136}, {
      {"dot.C1", "both operands are vectors", rule_312},
      {"dot.C2", "both have one length", rule_313}}},
    {"aten.elu.default", {rule_0}, {}},
    {"aten.elu_backward.default", {rule_314}, {
      {"elu_backward.C1", "the gradient has the shape of the point it is taken at", rule_315}}},
    {"aten.embedding.default", {rule_316}, {
      {"embedding.C1", "the table is a matrix", rule_317},
      {"embedding.C2", "gradients are dense", rule_318}}},
    {"aten.embedding_dense_backward.default", {rule_319}, {
      {"embedding_dense_backward.C1", "one gradient row per index", rule_320}}},
    {"aten.empty.memory_format", {rule_58}, {}},
    {"aten.empty_like.default", {rule_0}, {}},
    {"aten.empty_permuted.default", {rule_58}, {
      {"empty_permuted.C1", "the layout is a permutation of the dimensions", rule_321}}},
    {"aten.empty_strided.default", {rule_58}, {
      {"empty_strided.C1", "one stride a dimension", rule_158}}},
    {"aten.eq.Scalar", {rule_0}, {}},
    {"aten.eq.Tensor", {rule_1}, {}},
    {"aten.equal.default", {rule_136}, {
      {"equal.C1", "the operands have one rank", rule_322}}},
    {"aten.erf.default", {rule_0}, {}},
    {"aten.erfc.default", {rule_0}, {}},
    {"aten.erfinv.default", {rule_0}, {}},
    {"aten.exp.default", {rule_0}, {}},
    {"aten.exp2.default", {rule_0}, {}},
    {"aten.expand.default", {rule_323}, {}},
    {"aten.expand_copy.default", {rule_323}, {}},
    {"aten.expm1.default", {rule_0}, {}},
    {"aten.exponential.default", {rule_0}, {
      {"exponential.C1", "lambd is positive", rule_324}}},
    {"aten.eye.default", {rule_325}, {}},
    {"aten.eye.m", {rule_326}, {}},
    {"aten.fake_quantize_per_channel_affine_cachemask.default", {rule_0, rule_0}, {
      {"fake_quantize_per_channel_affine_cachemask.C1", "the range is not empty", rule_59},
      {"fake_quantize_per_channel_affine_cachemask.C2", "the channel axis exists, counted from the front", rule_60},
      {"fake_quantize_per_channel_affine_cachemask.C3", "one scale and zero point for each channel", rule_61}}},
    {"aten.fake_quantize_per_tensor_affine_cachemask.default", {rule_0, rule_0}, {
      {"fake_quantize_per_tensor_affine_cachemask.C1", "the range is not empty", rule_59},
      {"fake_quantize_per_tensor_affine_cachemask.C2", "the zero point is in the range", rule_327}}},
    {"aten.fft_fftfreq.default", {rule_328}, {
      {"fft_fftfreq.C1", "there are samples", rule_329}}},
    {"aten.fft_rfftfreq.default", {rule_330}, {
      {"fft_rfftfreq.C1", "there are samples", rule_329}}},
    {"aten.fill.Scalar", {rule_0}, {}},
    {"aten.fill.Tensor", {rule_0}, {
      {"fill.Tensor.C1", "the value is a scalar", rule_331}}},
    {"aten.flip.default", {rule_0}, {
      {"flip.C1", "the dimensions exist and are listed once", rule_332},
      {"flip.C2", "a scalar has no slices", rule_160}}},
    {"aten.floor.default", {rule_0}, {}},
    {"aten.floor_divide.Scalar", {rule_0}, {}},
    {"aten.floor_divide.default", {rule_1}, {}},
    {"aten.fmax.default", {rule_1}, {}},
    {"aten.fmin.default", {rule_1}, {}},
    {"aten.fmod.Scalar", {rule_0}, {}},
    {"aten.fmod.Tensor", {rule_1}, {}},
    {"aten.frac.default", {rule_0}, {}},
    {"aten.fractional_max_pool2d.default", {rule_2, rule_2}, {
      {"fractional_max_pool2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"fractional_max_pool2d.C2", "only the batch may be empty", rule_10},
      {"fractional_max_pool2d.C3", "one window and one output size per spatial dimension", rule_333},
      {"fractional_max_pool2d.C4", "the windows fit", rule_334},
      {"fractional_max_pool2d.C5", "one uniform number per channel and spatial dimension", rule_335}}},
    {"aten.fractional_max_pool2d_backward.default", {rule_0}, {
      {"fractional_max_pool2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"fractional_max_pool2d_backward.C2", "only the batch may be empty", rule_10},
      {"fractional_max_pool2d_backward.C3", "one window and one output size per spatial dimension", rule_333},
      {"fractional_max_pool2d_backward.C4", "the windows fit", rule_334},
      {"fractional_max_pool2d_backward.C5", "the gradient has the shape of the forward result", rule_336},
      {"fractional_max_pool2d_backward.C6", "one index per pooled element", rule_203}}},
    {"aten.fractional_max_pool3d.default", {rule_8, rule_8}, {
      {"fractional_max_pool3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"fractional_max_pool3d.C2", "only the batch may be empty", rule_204},
      {"fractional_max_pool3d.C3", "one window and one output size per spatial dimension", rule_337},
      {"fractional_max_pool3d.C4", "the windows fit", rule_338},
      {"fractional_max_pool3d.C5", "one uniform number per channel and spatial dimension", rule_339}}},
    {"aten.fractional_max_pool3d_backward.default", {rule_0}, {
      {"fractional_max_pool3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"fractional_max_pool3d_backward.C2", "only the batch may be empty", rule_204},
      {"fractional_max_pool3d_backward.C3", "one window and one output size per spatial dimension", rule_337},
      {"fractional_max_pool3d_backward.C4", "the windows fit", rule_338},
      {"fractional_max_pool3d_backward.C5", "the gradient has the shape of the forward result", rule_340},
      {"fractional_max_pool3d_backward.C6", "one index per pooled element", rule_203}}},
    {"aten.frexp.Tensor", {rule_0, rule_0}, {}},
    {"aten.full.default", {rule_58}, {}},
    {"aten.full_like.default", {rule_0}, {}},
    {"aten.gather.default", {rule_341}, {
      {"gather.C1", "the dimension exists", rule_137},
      {"gather.C2", "index and operand have one rank; a scalar counts as a vector", rule_342},
      {"gather.C3", "the index is not larger than the operand", rule_343}}},
    {"aten.gcd.default", {rule_1}, {}},
    {"aten.ge.Scalar", {rule_0}, {}},
    {"aten.ge.Tensor", {rule_1}, {}},
    {"aten.gelu.default", {rule_0}, {}},
    {"aten.gelu_backward.default", {rule_314}, {
      {"gelu_backward.C1", "the gradient has the shape of the point it is taken at", rule_156}}},
    {"aten.geometric.default", {rule_0}, {
      {"geometric.C1", "p is a probability between 0 and 1", rule_344}}},
    {"aten.geqrf.default", {rule_0, rule_345}, {
      {"geqrf.C1", "there are two dimensions at least", rule_346}}},
    {"aten.glu.default", {rule_347}, {
      {"glu.C1", "the halved dimension exists", rule_348},
      {"glu.C2", "the halved dimension is even", rule_349}}},
    {"aten.glu_backward.default", {rule_0}, {
      {"glu_backward.C1", "the halved dimension exists", rule_348},
      {"glu_backward.C2", "the gradient has the shape of the forward result", rule_350}}},
    {"aten.gt.Scalar", {rule_0}, {}},
    {"aten.gt.Tensor", {rule_1}, {}},
    {"aten.hamming_window.default", {rule_242}, {
      {"hamming_window.C1", "the number of points is not negative", rule_243},
      {"hamming_window.C2", "windows are floating", rule_244}}},
    {"aten.hamming_window.periodic", {rule_242}, {
      {"hamming_window.periodic.C1", "the number of points is not negative", rule_243},
      {"hamming_window.periodic.C2", "windows are floating", rule_244}}},
    {"aten.hamming_window.periodic_alpha", {rule_242}, {
      {"hamming_window.periodic_alpha.C1", "the number of points is not negative", rule_243},
      {"hamming_window.periodic_alpha.C2", "windows are floating", rule_244}}},
    {"aten.hamming_window.periodic_alpha_beta", {rule_242}, {
      {"hamming_window.periodic_alpha_beta.C1", "the number of points is not negative", rule_243},
      {"hamming_window.periodic_alpha_beta.C2", "windows are floating", rule_244}}},
    {"aten.hann_window.default", {rule_242}, {
      {"hann_window.C1", "the number of points is not negative", rule_243},
      {"hann_window.C2", "windows are floating", rule_244}}},
    {"aten.hann_window.periodic", {rule_242}, {
      {"hann_window.periodic.C1", "the number of points is not negative", rule_243},
      {"hann_window.periodic.C2", "windows are floating", rule_244}}},
    {"aten.hardshrink.default", {rule_0}, {}},
    {"aten.hardshrink_backward.default", {rule_351}, {
      {"hardshrink_backward.C1", "the gradient has the shape of the point it is taken at", rule_352}}},
    {"aten.hardsigmoid.default", {rule_0}, {}},
    {"aten.hardsigmoid_backward.default", {rule_314}, {
      {"hardsigmoid_backward.C1", "the gradient has the shape of the point it is taken at", rule_156}}},
    {"aten.hardswish.default", {rule_0}, {}},
    {"aten.hardswish_backward.default", {rule_314}, {
      {"hardswish_backward.C1", "the gradient has the shape of the point it is taken at", rule_156}}},
    {"aten.hardtanh.default", {rule_0}, {}},
    {"aten.hardtanh_backward.default", {rule_314}, {
      {"hardtanh_backward.C1", "the gradient has the shape of the point it is taken at", rule_156}}},
    {"aten.hash_tensor.default", {rule_24}, {
      {"hash_tensor.C1", "dimensions exist and are listed once", rule_25},
      {"hash_tensor.C2", "the words are combined by exclusive or", rule_353},
      {"hash_tensor.C3", "something is there to be reduced", rule_26}}},
    {"aten.heaviside.default", {rule_354}, {
      {"heaviside.C1", "both operands have one dtype", rule_355}}},
    {"aten.huber_loss.default", {rule_253}, {
      {"huber_loss.C1", "input and target have one shape", rule_254},
      {"huber_loss.C2", "reduction is none, mean or sum", rule_255},
      {"huber_loss.C3", "delta is positive", rule_356}}},
    {"aten.huber_loss_backward.default", {rule_0}, {
      {"huber_loss_backward.C1", "input and target have one shape", rule_254},
      {"huber_loss_backward.C2", "reduction is none, mean or sum", rule_255},
      {"huber_loss_backward.C3", "delta is positive", rule_356},
      {"huber_loss_backward.C4", "the gradient has the shape of the loss", rule_257}}},
    {"aten.hypot.default", {rule_1}, {}},
    {"aten.i0.default", {rule_0}, {}},
    {"aten.igamma.default", {rule_1}, {}},
    {"aten.igammac.default", {rule_1}, {}},
    {"aten.im2col.default", {rule_357}, {
      {"im2col.C1", "the input is [C, H, W] or [N, C, H, W]", rule_3},
      {"im2col.C2", "one value for each of the two dimensions", rule_282},
      {"im2col.C3", "kernel, dilation and stride are positive, the padding is not negative", rule_283},
      {"im2col.C4", "only the batch may be empty", rule_10},
      {"im2col.C5", "a window fits", rule_358}}},
    {"aten.index.Tensor", {rule_178}, {
      {"index.Tensor.C1", "no more indices than dimensions, and masks as large as what they cover", rule_120}}},
    {"aten.index_add.default", {rule_0}, {
      {"index_add.C1", "the dimension exists", rule_137},
      {"index_add.C2", "the index is a vector", rule_359},
      {"index_add.C3", "the source has one slice for each index", rule_360}}},
    {"aten.index_copy.default", {rule_0}, {
      {"index_copy.C1", "the dimension exists", rule_137},
      {"index_copy.C2", "the index is a vector", rule_359},
      {"index_copy.C3", "the source has one slice for each index", rule_360}}},
    {"aten.index_fill.int_Scalar", {rule_0}, {
      {"index_fill.int_Scalar.C1", "the dimension exists", rule_137},
      {"index_fill.int_Scalar.C2", "the index is a vector", rule_359}}},
    {"aten.index_fill.int_Tensor", {rule_0}, {
      {"index_fill.int_Tensor.C1", "the dimension exists", rule_137},
      {"index_fill.int_Tensor.C2", "the index is a vector", rule_359},
      {"index_fill.int_Tensor.C3", "the value is a scalar", rule_331}}},
    {"aten.index_put.default", {rule_0}, {
      {"index_put.C1", "no more indices than dimensions, and masks as large as what they cover", rule_120},
      {"index_put.C2", "the values broadcast to what is indexed", rule_121}}},
    {"aten.index_reduce.default", {rule_0}, {
      {"index_reduce.C1", "the dimension exists", rule_137},
      {"index_reduce.C2", "the index is a vector", rule_359},
      {"index_reduce.C3", "the source has one slice for each index", rule_360},
      {"index_reduce.C4", "sums are index_add", rule_361},
      {"index_reduce.C5", "bools have no mean", rule_362}}},
    {"aten.index_select.default", {rule_363}, {
      {"index_select.C1", "the dimension exists", rule_137},
      {"index_select.C2", "the index is a vector", rule_359},
      {"index_select.C3", "a scalar has one slice", rule_364}}},
    {"aten.isin.Scalar_Tensor", {rule_136}, {}},
    {"aten.isin.Tensor_Scalar", {rule_365}, {}},
    {"aten.isin.Tensor_Tensor", {rule_365}, {}},
    {"aten.isinf.default", {rule_0}, {}},
    {"aten.isnan.default", {rule_0}, {}},
    {"aten.isneginf.default", {rule_0}, {}},
    {"aten.isposinf.default", {rule_0}, {}},
    {"aten.kaiser_window.beta", {rule_242}, {
      {"kaiser_window.beta.C1", "the number of points is not negative", rule_243},
      {"kaiser_window.beta.C2", "windows are floating", rule_244}}},
    {"aten.kaiser_window.default", {rule_242}, {
      {"kaiser_window.C1", "the number of points is not negative", rule_243},
      {"kaiser_window.C2", "windows are floating", rule_244}}},
    {"aten.kaiser_window.periodic", {rule_242}, {
      {"kaiser_window.periodic.C1", "the number of points is not negative", rule_243},
      {"kaiser_window.periodic.C2", "windows are floating", rule_244}}},
    {"aten.kthvalue.default", {rule_24, rule_24}, {
      {"kthvalue.C1", "the dimension exists", rule_137},
      {"kthvalue.C2", "there is something to choose from", rule_366},
      {"kthvalue.C3", "there are k elements", rule_367}}},
    {"aten.lcm.default", {rule_1}, {}},
    {"aten.ldexp.Tensor", {rule_1}, {
      {"ldexp.Tensor.C1", "the exponent of a float is a number", rule_368},
      {"ldexp.Tensor.C2", "the exponent of a complex number is an integer", rule_369}}},
    {"aten.le.Scalar", {rule_0}, {}},
    {"aten.le.Tensor", {rule_1}, {}},
    {"aten.leaky_relu.default", {rule_0}, {}},
    {"aten.leaky_relu_backward.default", {rule_314}, {
      {"leaky_relu_backward.C1", "the gradient has the shape of the point it is taken at", rule_156}}},
    {"aten.lerp.Scalar", {rule_370}, {
      {"lerp.Scalar.C1", "all operands have one dtype", rule_371}}},
    {"aten.lerp.Tensor", {rule_372}, {
      {"lerp.Tensor.C1", "all operands have one dtype", rule_371},
      {"lerp.Tensor.C2", "all operands have one dtype", rule_373}}},
    {"aten.lgamma.default", {rule_0}, {}},
    {"aten.lift_fresh_copy.default", {rule_0}, {}},
    {"aten.linalg__powsum.default", {rule_24}, {
      {"linalg__powsum.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.linalg_cholesky_ex.default", {rule_0, rule_374}, {
      {"linalg_cholesky_ex.C1", "the matrices are square", rule_128},
      {"linalg_cholesky_ex.C2", "what fails is told by the status", rule_131}}},
    {"aten.linalg_cross.default", {rule_1}, {
      {"linalg_cross.C1", "both have as many dimensions", rule_322},
      {"linalg_cross.C2", "vectors have three elements", rule_375}}},
    {"aten.linalg_eig.default", {rule_127, rule_0}, {
      {"linalg_eig.C1", "the matrices are square", rule_128}}},
    {"aten.linalg_householder_product.default", {rule_30}, {
      {"linalg_householder_product.C1", "there are two dimensions at least", rule_32},
      {"linalg_householder_product.C2", "there are at least as many rows as columns", rule_376},
      {"linalg_householder_product.C3", "there are at most as many reflectors as columns", rule_377},
      {"linalg_householder_product.C4", "there are reflectors for each matrix", rule_378}}},
    {"aten.linalg_inv_ex.default", {rule_123, rule_122}, {
      {"linalg_inv_ex.C1", "the matrices are square", rule_49},
      {"linalg_inv_ex.C2", "what fails is told by the status", rule_131}}},
    {"aten.linalg_ldl_factor_ex.default", {rule_0, rule_127, rule_374}, {
      {"linalg_ldl_factor_ex.C1", "the matrices are square", rule_128},
      {"linalg_ldl_factor_ex.C2", "what fails is told by the status", rule_131}}},
    {"aten.linalg_ldl_solve.default", {rule_379}, {
      {"linalg_ldl_solve.C1", "the matrices are square", rule_380},
      {"linalg_ldl_solve.C2", "the right-hand sides have a row for each equation", rule_381},
      {"linalg_ldl_solve.C3", "there is a pivot for each row", rule_382}}},
    {"aten.linalg_lstsq.default", {rule_383, rule_384, rule_385, rule_386}, {
      {"linalg_lstsq.C1", "there are two dimensions at least", rule_346},
      {"linalg_lstsq.C2", "there are right-hand sides for each matrix", rule_387},
      {"linalg_lstsq.C3", "gels takes the rank to be full", rule_388}}},
    {"aten.linalg_lu.default", {rule_389, rule_390, rule_391}, {
      {"linalg_lu.C1", "there are two dimensions at least", rule_135},
      {"linalg_lu.C2", "rows are exchanged", rule_392}}},
    {"aten.linalg_lu_factor_ex.default", {rule_123, rule_133, rule_122}, {
      {"linalg_lu_factor_ex.C1", "there are two dimensions at least", rule_135},
      {"linalg_lu_factor_ex.C2", "rows are exchanged", rule_392},
      {"linalg_lu_factor_ex.C3", "what fails is told by the status", rule_131}}},
    {"aten.linalg_lu_solve.default", {rule_393}, {
      {"linalg_lu_solve.C1", "the matrices are square", rule_394},
      {"linalg_lu_solve.C2", "the right-hand sides have a row for each equation", rule_395},
      {"linalg_lu_solve.C3", "there is a pivot for each row", rule_396}}},
    {"aten.linalg_matrix_exp.default", {rule_0}, {
      {"linalg_matrix_exp.C1", "the matrices are square", rule_128}}},
    {"aten.linalg_pinv.atol_rtol_tensor", {rule_397}, {
      {"linalg_pinv.atol_rtol_tensor.C1", "there are two dimensions at least", rule_346},
      {"linalg_pinv.atol_rtol_tensor.C2", "a Hermitian matrix is square", rule_398}}},
    {"aten.linalg_qr.default", {rule_399, rule_400}, {
      {"linalg_qr.C1", "there are two dimensions at least", rule_135},
      {"linalg_qr.C2", "the mode exists", rule_401}}},
    {"aten.linalg_solve_triangular.default", {rule_402}, {
      {"linalg_solve_triangular.C1", "the matrices are square", rule_128},
      {"linalg_solve_triangular.C2", "the right-hand sides have a row for each equation", rule_403}}},
    {"aten.linalg_vector_norm.default", {rule_24}, {
      {"linalg_vector_norm.C1", "dimensions exist and are listed once", rule_25},
      {"linalg_vector_norm.C2", "no elements have a norm of a finite order that is not negative only", rule_404},
      {"linalg_vector_norm.C3", "the elements are widened, not narrowed, and stay real or complex", rule_405}}},
    {"aten.linear_backward.default", {rule_0, rule_406, rule_407}, {
      {"linear_backward.C1", "the weight is a matrix", rule_408},
      {"linear_backward.C2", "the shapes fit", rule_409}}},
    {"aten.linspace.Scalar_Tensor", {rule_410}, {
      {"linspace.Scalar_Tensor.C1", "the number of steps is not negative", rule_411},
      {"linspace.Scalar_Tensor.C2", "end is a number", rule_412}}},
    {"aten.linspace.Tensor_Scalar", {rule_410}, {
      {"linspace.Tensor_Scalar.C1", "the number of steps is not negative", rule_411},
      {"linspace.Tensor_Scalar.C2", "start is a number", rule_413}}},
    {"aten.linspace.Tensor_Tensor", {rule_410}, {
      {"linspace.Tensor_Tensor.C1", "the number of steps is not negative", rule_411},
      {"linspace.Tensor_Tensor.C2", "start is a number", rule_413},
      {"linspace.Tensor_Tensor.C3", "end is a number", rule_412}}},
    {"aten.linspace.default", {rule_410}, {
      {"linspace.C1", "the number of steps is not negative", rule_411}}},
    {"aten.log.default", {rule_0}, {}},
    {"aten.log10.default", {rule_0}, {}},
    {"aten.log1p.default", {rule_0}, {}},
    {"aten.log2.default", {rule_0}, {}},
    {"aten.log_normal.default", {rule_0}, {
      {"log_normal.C1", "std is positive", rule_414}}},
    {"aten.log_sigmoid_backward.default", {rule_0}, {
      {"log_sigmoid_backward.C1", "the gradient has the shape of the input", rule_156}}},
    {"aten.log_sigmoid_forward.default", {rule_0, rule_0}, {}},
    {"aten.logaddexp.default", {rule_1}, {}},
    {"aten.logaddexp2.default", {rule_1}, {}},
    {"aten.logcumsumexp.default", {rule_0}, {
      {"logcumsumexp.C1", "the dimension exists", rule_137}}},
    {"aten.logical_and.default", {rule_1}, {}},
    {"aten.logical_not.default", {rule_0}, {}},
    {"aten.logical_or.default", {rule_1}, {}},
    {"aten.logical_xor.default", {rule_1}, {}},
    {"aten.logit.default", {rule_0}, {}},
    {"aten.logspace.Scalar_Tensor", {rule_410}, {
      {"logspace.Scalar_Tensor.C1", "the number of steps is not negative", rule_411},
      {"logspace.Scalar_Tensor.C2", "end is a number", rule_412}}},
    {"aten.logspace.Tensor_Scalar", {rule_410}, {
      {"logspace.Tensor_Scalar.C1", "the number of steps is not negative", rule_411},
      {"logspace.Tensor_Scalar.C2", "start is a number", rule_413}}},
    {"aten.logspace.Tensor_Tensor", {rule_410}, {
      {"logspace.Tensor_Tensor.C1", "the number of steps is not negative", rule_411},
      {"logspace.Tensor_Tensor.C2", "start is a number", rule_413},
      {"logspace.Tensor_Tensor.C3", "end is a number", rule_412}}},
    {"aten.logspace.default", {rule_410}, {
      {"logspace.C1", "the number of steps is not negative", rule_411}}},
    {"aten.logsumexp.default", {rule_24}, {
      {"logsumexp.C1", "dimensions exist and are listed once", rule_25},
      {"logsumexp.C2", "something is there to be reduced", rule_26}}},
    {"aten.lt.Scalar", {rule_0}, {}},
    {"aten.lt.Tensor", {rule_1}, {}},
    {"aten.lu_unpack.default", {rule_415, rule_416, rule_417}, {
      {"lu_unpack.C1", "there are two dimensions at least", rule_418},
      {"lu_unpack.C2", "there is a pivot for each step", rule_419}}},
    {"aten.masked_fill.Scalar", {rule_420}, {}},
    {"aten.masked_fill.Tensor", {rule_420}, {
      {"masked_fill.Tensor.C1", "the value is a scalar", rule_331}}},
    {"aten.masked_scatter.default", {rule_420}, {}},
    {"aten.masked_scatter_backward.default", {rule_421}, {}},
    {"aten.masked_select.default", {rule_422}, {}},
    {"aten.max.default", {rule_22}, {
      {"max.C1", "an empty tensor has no extreme", rule_23}}},
    {"aten.max.dim", {rule_24, rule_24}, {
      {"max.dim.C1", "dimensions exist and are listed once", rule_25},
      {"max.dim.C2", "something is there to be reduced", rule_26}}},
    {"aten.max_pool2d_with_indices.default", {rule_423, rule_423}, {
      {"max_pool2d_with_indices.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"max_pool2d_with_indices.C2", "the window has one size, or one per spatial dimension", rule_231},
      {"max_pool2d_with_indices.C3", "padding is at most half the window", rule_232},
      {"max_pool2d_with_indices.C4", "only the batch may be empty", rule_10}}},
    {"aten.max_pool2d_with_indices_backward.default", {rule_0}, {
      {"max_pool2d_with_indices_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"max_pool2d_with_indices_backward.C2", "the window has one size, or one per spatial dimension", rule_231},
      {"max_pool2d_with_indices_backward.C3", "padding is at most half the window", rule_232},
      {"max_pool2d_with_indices_backward.C4", "only the batch may be empty", rule_10},
      {"max_pool2d_with_indices_backward.C5", "the gradient has the shape of the forward result", rule_424},
      {"max_pool2d_with_indices_backward.C6", "one index per pooled element", rule_203}}},
    {"aten.max_pool3d_with_indices.default", {rule_425, rule_425}, {
      {"max_pool3d_with_indices.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"max_pool3d_with_indices.C2", "the window has one size, or one per spatial dimension", rule_236},
      {"max_pool3d_with_indices.C3", "padding is at most half the window", rule_232},
      {"max_pool3d_with_indices.C4", "only the batch may be empty", rule_204}}},
    {"aten.max_pool3d_with_indices_backward.default", {rule_0}, {
      {"max_pool3d_with_indices_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"max_pool3d_with_indices_backward.C2", "the window has one size, or one per spatial dimension", rule_236},
      {"max_pool3d_with_indices_backward.C3", "padding is at most half the window", rule_232},
      {"max_pool3d_with_indices_backward.C4", "only the batch may be empty", rule_204},
      {"max_pool3d_with_indices_backward.C5", "the gradient has the shape of the forward result", rule_426},
      {"max_pool3d_with_indices_backward.C6", "one index per pooled element", rule_203}}},
    {"aten.max_unpool2d.default", {rule_2}, {
      {"max_unpool2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"max_unpool2d.C2", "only the batch may be empty", rule_10},
      {"max_unpool2d.C3", "one index per element", rule_427},
      {"max_unpool2d.C4", "one output size per spatial dimension", rule_5}}},
    {"aten.max_unpool3d.default", {rule_8}, {
      {"max_unpool3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"max_unpool3d.C2", "only the batch may be empty", rule_204},
      {"max_unpool3d.C3", "one index per element", rule_427},
      {"max_unpool3d.C4", "one output size per spatial dimension", rule_11},
      {"max_unpool3d.C5", "the stride is positive", rule_428}}},
    {"aten.maximum.default", {rule_1}, {}},
    {"aten.mean.default", {rule_22}, {
      {"mean.C1", "integers have a mean in a given dtype", rule_429}}},
    {"aten.mean.dim", {rule_24}, {
      {"mean.dim.C1", "dimensions exist and are listed once", rule_25},
      {"mean.dim.C2", "integers have a mean in a given dtype", rule_429}}},
    {"aten.median.default", {rule_136}, {}},
    {"aten.median.dim", {rule_24, rule_24}, {
      {"median.dim.C1", "the dimension exists", rule_137},
      {"median.dim.C2", "there is something to choose from", rule_366}}},
    {"aten.min.default", {rule_22}, {
      {"min.C1", "an empty tensor has no extreme", rule_23}}},
    {"aten.min.dim", {rule_24, rule_24}, {
      {"min.dim.C1", "dimensions exist and are listed once", rule_25},
      {"min.dim.C2", "something is there to be reduced", rule_26}}},
    {"aten.minimum.default", {rule_1}, {}},
    {"aten.mish.default", {rule_0}, {}},
    {"aten.mish_backward.default", {rule_314}, {
      {"mish_backward.C1", "the gradient has the shape of the point it is taken at", rule_156}}},
    {"aten.mm.default", {rule_430}, {
      {"mm.C1", "both operands are matrices", rule_431},
      {"mm.C2", "the inner sizes are equal", rule_432}}},
    {"aten.mm.dtype", {rule_430}, {
      {"mm.dtype.C1", "both operands are matrices", rule_431},
      {"mm.dtype.C2", "the inner sizes are equal", rule_432},
      {"mm.dtype.C3", "products are rounded or float32", rule_265}}},
    {"aten.mode.default", {rule_24, rule_24}, {
      {"mode.C1", "the dimension exists", rule_137},
      {"mode.C2", "there is something to choose from", rule_366}}},
    {"aten.mse_loss.default", {rule_253}, {
      {"mse_loss.C1", "input and target have one shape", rule_254},
      {"mse_loss.C2", "reduction is none, mean or sum", rule_255}}},
    {"aten.mse_loss_backward.default", {rule_0}, {
      {"mse_loss_backward.C1", "input and target have one shape", rule_254},
      {"mse_loss_backward.C2", "reduction is none, mean or sum", rule_255},
      {"mse_loss_backward.C3", "the gradient has the shape of the loss", rule_257}}},
    {"aten.mul.Scalar", {rule_0}, {}},
    {"aten.mul.Tensor", {rule_1}, {}},
    {"aten.multi_margin_loss.default", {rule_433}, {
      {"multi_margin_loss.C1", "the input is [C] or [N, C] and has classes", rule_434},
      {"multi_margin_loss.C2", "reduction is none, mean or sum", rule_255},
      {"multi_margin_loss.C3", "one target for each row", rule_435},
      {"multi_margin_loss.C4", "one weight for each class", rule_436},
      {"multi_margin_loss.C5", "the power is 1 or 2", rule_437}}},
    {"aten.multi_margin_loss_backward.default", {rule_0}, {
      {"multi_margin_loss_backward.C1", "the input is [C] or [N, C] and has classes", rule_434},
      {"multi_margin_loss_backward.C2", "reduction is none, mean or sum", rule_255},
      {"multi_margin_loss_backward.C3", "one target for each row", rule_435},
      {"multi_margin_loss_backward.C4", "one weight for each class", rule_436},
      {"multi_margin_loss_backward.C5", "the power is 1 or 2", rule_437},
      {"multi_margin_loss_backward.C6", "the gradient has the shape of the loss", rule_438}}},
    {"aten.multilabel_margin_loss_backward.default", {rule_0}, {
      {"multilabel_margin_loss_backward.C1", "the input is [C] or [N, C] and has classes", rule_434},
      {"multilabel_margin_loss_backward.C2", "reduction is none, mean or sum", rule_255},
      {"multilabel_margin_loss_backward.C3", "labels for each row, the first negative one ends them", rule_439},
      {"multilabel_margin_loss_backward.C4", "is_target tells for each class", rule_440},
      {"multilabel_margin_loss_backward.C5", "the gradient has the shape of the loss", rule_438}}},
    {"aten.multilabel_margin_loss_forward.default", {rule_433, rule_441}, {
      {"multilabel_margin_loss_forward.C1", "the input is [C] or [N, C] and has classes", rule_434},
      {"multilabel_margin_loss_forward.C2", "reduction is none, mean or sum", rule_255},
      {"multilabel_margin_loss_forward.C3", "labels for each row, the first negative one ends them", rule_439}}},
    {"aten.multinomial.default", {rule_442}, {
      {"multinomial.C1", "the weights are one row or a matrix of rows", rule_18},
      {"multinomial.C2", "there are enough categories", rule_443}}},
    {"aten.mv.default", {rule_444}, {
      {"mv.C1", "a matrix and a vector", rule_445},
      {"mv.C2", "the inner sizes are equal", rule_446}}},
    {"aten.mvlgamma.default", {rule_0}, {
      {"mvlgamma.C1", "the dimension is positive", rule_447}}},
    {"aten.nan_to_num.default", {rule_0}, {}},
    {"aten.nanmedian.default", {rule_136}, {}},
    {"aten.nanmedian.dim", {rule_24, rule_24}, {
      {"nanmedian.dim.C1", "the dimension exists", rule_137},
      {"nanmedian.dim.C2", "there is something to choose from", rule_366}}},
    {"aten.nansum.default", {rule_24}, {
      {"nansum.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.narrow_copy.default", {rule_448}, {
      {"narrow_copy.C1", "a scalar has no slices", rule_160},
      {"narrow_copy.C2", "the dimension exists", rule_137},
      {"narrow_copy.C3", "the length is not negative", rule_449},
      {"narrow_copy.C4", "the slice ends inside of the dimension", rule_450},
      {"narrow_copy.C5", "the slice starts inside of the dimension", rule_451}}},
    {"aten.native_batch_norm.default", {rule_30, rule_149, rule_149}, {
      {"native_batch_norm.C1", "the input is [N, C, …]", rule_32},
      {"native_batch_norm.C2", "the input has elements", rule_33},
      {"native_batch_norm.C3", "weight has shape input[1:2]", rule_34},
      {"native_batch_norm.C4", "bias has shape input[1:2]", rule_35},
      {"native_batch_norm.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"native_batch_norm.C6", "running statistics are used or there are none: to update them is not functional", rule_452},
      {"native_batch_norm.C7", "one running mean and variance per channel", rule_453}}},
    {"aten.native_batch_norm_backward.default", {rule_116, rule_245, rule_246}, {
      {"native_batch_norm_backward.C1", "the input is [N, C, …] and has elements", rule_247},
      {"native_batch_norm_backward.C2", "the gradient has the shape of the input", rule_118},
      {"native_batch_norm_backward.C3", "weight has shape input[1:2]", rule_34},
      {"native_batch_norm_backward.C4", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"native_batch_norm_backward.C5", "training saved its statistics", rule_454},
      {"native_batch_norm_backward.C6", "evaluation has running statistics", rule_455}}},
    {"aten.native_dropout.default", {rule_30, rule_30}, {
      {"native_dropout.C1", "p is a probability", rule_456}}},
    {"aten.native_dropout_backward.default", {rule_314}, {
      {"native_dropout_backward.C1", "one mask element per gradient", rule_457}}},
    {"aten.native_group_norm.default", {rule_30, rule_458, rule_458}, {
      {"native_group_norm.C1", "the input is [N, C, …]", rule_459},
      {"native_group_norm.C2", "HxW is the product of the spatial sizes", rule_460},
      {"native_group_norm.C3", "the channels divide into the groups", rule_461},
      {"native_group_norm.C4", "weight has shape [C]", rule_462},
      {"native_group_norm.C5", "bias has shape [C]", rule_463},
      {"native_group_norm.C6", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36}}},
    {"aten.native_group_norm_backward.default", {rule_116, rule_464, rule_465}, {
      {"native_group_norm_backward.C1", "the input is [N, C, …]", rule_459},
      {"native_group_norm_backward.C2", "HxW is the product of the spatial sizes", rule_460},
      {"native_group_norm_backward.C3", "the channels divide into the groups", rule_461},
      {"native_group_norm_backward.C4", "the gradient has the shape of the input", rule_118},
      {"native_group_norm_backward.C5", "one mean and one rstd per sample and group", rule_466},
      {"native_group_norm_backward.C6", "weight has shape [C]", rule_462},
      {"native_group_norm_backward.C7", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36}}},
    {"aten.native_layer_norm.default", {rule_30, rule_113, rule_113}, {
      {"native_layer_norm.C1", "the input ends in normalized_shape", rule_114},
      {"native_layer_norm.C2", "weight has shape normalized_shape", rule_115},
      {"native_layer_norm.C3", "bias has shape normalized_shape", rule_467},
      {"native_layer_norm.C4", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36}}},
    {"aten.native_layer_norm_backward.default", {rule_116, rule_117, rule_468}, {
      {"native_layer_norm_backward.C1", "the input ends in normalized_shape", rule_114},
      {"native_layer_norm_backward.C2", "the gradient has the shape of the input", rule_118},
      {"native_layer_norm_backward.C3", "one mean and one rstd per row", rule_469},
      {"native_layer_norm_backward.C4", "weight has shape normalized_shape", rule_115},
      {"native_layer_norm_backward.C5", "bias has shape normalized_shape", rule_467},
      {"native_layer_norm_backward.C6", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36}}},
    {"aten.ne.Scalar", {rule_0}, {}},
    {"aten.ne.Tensor", {rule_1}, {}},
    {"aten.neg.default", {rule_0}, {}},
    {"aten.new_empty.default", {rule_58}, {}},
    {"aten.new_empty_strided.default", {rule_58}, {
      {"new_empty_strided.C1", "one stride a dimension", rule_158}}},
    {"aten.new_full.default", {rule_58}, {}},
    {"aten.new_ones.default", {rule_58}, {}},
    {"aten.new_zeros.default", {rule_58}, {}},
    {"aten.nextafter.default", {rule_1}, {}},
    {"aten.nll_loss2d_backward.default", {rule_0}, {
      {"nll_loss2d_backward.C1", "the input is [N, C, H, W]", rule_181},
      {"nll_loss2d_backward.C2", "one target per row", rule_470},
      {"nll_loss2d_backward.C3", "one weight per class", rule_471},
      {"nll_loss2d_backward.C4", "reduction is none, mean or sum", rule_255},
      {"nll_loss2d_backward.C5", "the gradient has the shape of the loss", rule_472},
      {"nll_loss2d_backward.C6", "the total weight is one number", rule_473}}},
    {"aten.nll_loss2d_forward.default", {rule_474, rule_136}, {
      {"nll_loss2d_forward.C1", "the input is [N, C, H, W]", rule_181},
      {"nll_loss2d_forward.C2", "one target per row", rule_470},
      {"nll_loss2d_forward.C3", "one weight per class", rule_471},
      {"nll_loss2d_forward.C4", "reduction is none, mean or sum", rule_255}}},
    {"aten.nll_loss_backward.default", {rule_0}, {
      {"nll_loss_backward.C1", "the input is [C] or [N, C]", rule_18},
      {"nll_loss_backward.C2", "one target per row", rule_475},
      {"nll_loss_backward.C3", "one weight per class", rule_476},
      {"nll_loss_backward.C4", "reduction is none, mean or sum", rule_255},
      {"nll_loss_backward.C5", "the gradient has the shape of the loss", rule_477},
      {"nll_loss_backward.C6", "the total weight is one number", rule_473}}},
    {"aten.nll_loss_forward.default", {rule_478, rule_136}, {
      {"nll_loss_forward.C1", "the input is [C] or [N, C]", rule_18},
      {"nll_loss_forward.C2", "one target per row", rule_475},
      {"nll_loss_forward.C3", "one weight per class", rule_476},
      {"nll_loss_forward.C4", "reduction is none, mean or sum", rule_255}}},
    {"aten.nonzero.default", {rule_479}, {}},
    {"aten.nonzero_static.default", {rule_480}, {
      {"nonzero_static.C1", "the number of rows is not negative", rule_481}}},
    {"aten.norm.Scalar", {rule_22}, {
      {"norm.Scalar.C1", "no elements have a norm of a finite order that is not negative only", rule_482}}},
    {"aten.norm.ScalarOpt_dim", {rule_24}, {
      {"norm.ScalarOpt_dim.C1", "dimensions exist and are listed once", rule_25},
      {"norm.ScalarOpt_dim.C2", "no elements have a norm of a finite order that is not negative only", rule_483}}},
    {"aten.norm.ScalarOpt_dim_dtype", {rule_24}, {
      {"norm.ScalarOpt_dim_dtype.C1", "dimensions exist and are listed once", rule_25},
      {"norm.ScalarOpt_dim_dtype.C2", "no elements have a norm of a finite order that is not negative only", rule_483},
      {"norm.ScalarOpt_dim_dtype.C3", "the elements are widened, not narrowed, and stay real or complex", rule_405}}},
    {"aten.norm.ScalarOpt_dtype", {rule_22}, {
      {"norm.ScalarOpt_dtype.C1", "no elements have a norm of a finite order that is not negative only", rule_482},
      {"norm.ScalarOpt_dtype.C2", "the elements are widened, not narrowed, and stay real or complex", rule_405}}},
    {"aten.normal.Tensor_Tensor", {rule_484}, {}},
    {"aten.normal.Tensor_float", {rule_485}, {
      {"normal.Tensor_float.C1", "the deviation is not negative", rule_486}}},
    {"aten.normal.float_Tensor", {rule_487}, {}},
    {"aten.normal.float_float", {rule_58}, {
      {"normal.float_float.C1", "the deviation is not negative", rule_486}}},
    {"aten.normal_functional.default", {rule_0}, {
      {"normal_functional.C1", "the deviation is not negative", rule_486}}},
    {"aten.ones.default", {rule_58}, {}},
    {"aten.ones_like.default", {rule_0}, {}},
    {"aten.ormqr.default", {rule_488}, {
      {"ormqr.C1", "there are two dimensions at least", rule_346},
      {"ormqr.C2", "the other matrix fits the product of the reflectors", rule_489},
      {"ormqr.C3", "both have one batch", rule_490},
      {"ormqr.C4", "there are reflectors for each matrix", rule_491},
      {"ormqr.C5", "there are at most as many reflectors as rows", rule_492}}},
    {"aten.permute.default", {rule_493}, {
      {"permute.C1", "every dimension is listed once", rule_494}}},
    {"aten.permute_copy.default", {rule_493}, {
      {"permute_copy.C1", "every dimension is listed once", rule_494}}},
    {"aten.pixel_shuffle.default", {rule_495}, {
      {"pixel_shuffle.C1", "the input is [*, C, H, W]", rule_269},
      {"pixel_shuffle.C2", "the channels divide by the square of the factor", rule_496}}},
    {"aten.pixel_unshuffle.default", {rule_497}, {
      {"pixel_unshuffle.C1", "the input is [*, C, H, W]", rule_269},
      {"pixel_unshuffle.C2", "height and width divide by the factor", rule_498}}},
    {"aten.poisson.default", {rule_0}, {}},
    {"aten.polar.default", {rule_499}, {}},
    {"aten.polygamma.default", {rule_0}, {
      {"polygamma.C1", "the order of the derivative is not negative", rule_500}}},
    {"aten.pow.Scalar", {rule_101}, {}},
    {"aten.pow.Tensor_Scalar", {rule_0}, {}},
    {"aten.pow.Tensor_Tensor", {rule_501}, {}},
    {"aten.prod.default", {rule_22}, {}},
    {"aten.prod.dim_int", {rule_24}, {
      {"prod.dim_int.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.put.default", {rule_0}, {
      {"put.C1", "there is a source element for every index", rule_502},
      {"put.C2", "there is something to put into", rule_503}}},
    {"aten.rad2deg.default", {rule_0}, {}},
    {"aten.rand.default", {rule_58}, {}},
    {"aten.rand_like.default", {rule_0}, {}},
    {"aten.randint.default", {rule_58}, {
      {"randint.C1", "the interval is not empty", rule_504}}},
    {"aten.randint.low", {rule_58}, {
      {"randint.low.C1", "the interval is not empty", rule_505}}},
    {"aten.randint_like.Tensor", {rule_0}, {
      {"randint_like.Tensor.C1", "the bound is one number", rule_506}}},
    {"aten.randint_like.default", {rule_0}, {
      {"randint_like.C1", "the interval is not empty", rule_504}}},
    {"aten.randint_like.low_dtype", {rule_0}, {
      {"randint_like.low_dtype.C1", "the interval is not empty", rule_505}}},
    {"aten.randn.default", {rule_58}, {}},
    {"aten.randn_like.default", {rule_0}, {}},
    {"aten.random.default", {rule_0}, {}},
    {"aten.random.from", {rule_0}, {
      {"random.from.C1", "the bound fits the dtype", rule_507}}},
    {"aten.random.to", {rule_0}, {
      {"random.to.C1", "the interval is not empty", rule_508}}},
    {"aten.randperm.default", {rule_328}, {
      {"randperm.C1", "the number of elements is not negative", rule_500}}},
    {"aten.range.default", {rule_509}, {
      {"range.C1", "an integer ramp has integer bounds", rule_224}}},
    {"aten.range.step", {rule_510}, {
      {"range.step.C1", "the step is not zero", rule_226},
      {"range.step.C2", "the bounds fit the sign of the step", rule_511},
      {"range.step.C3", "an integer ramp has integer bounds", rule_224}}},
    {"aten.reciprocal.default", {rule_0}, {}},
    {"aten.reflection_pad1d.default", {rule_512}, {
      {"reflection_pad1d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_280},
      {"reflection_pad1d.C2", "two paddings per spatial dimension, the last dimension first", rule_513},
      {"reflection_pad1d.C3", "only the batch may be empty", rule_4},
      {"reflection_pad1d.C4", "something is left", rule_514},
      {"reflection_pad1d.C5", "padding is smaller than the dimension that is mirrored", rule_515}}},
    {"aten.reflection_pad1d_backward.default", {rule_0}, {
      {"reflection_pad1d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_280},
      {"reflection_pad1d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_513},
      {"reflection_pad1d_backward.C3", "only the batch may be empty", rule_4},
      {"reflection_pad1d_backward.C4", "something is left", rule_514},
      {"reflection_pad1d_backward.C5", "padding is smaller than the dimension that is mirrored", rule_515},
      {"reflection_pad1d_backward.C6", "the gradient has the shape of the forward result", rule_516}}},
    {"aten.reflection_pad2d.default", {rule_512}, {
      {"reflection_pad2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"reflection_pad2d.C2", "two paddings per spatial dimension, the last dimension first", rule_517},
      {"reflection_pad2d.C3", "only the batch may be empty", rule_10},
      {"reflection_pad2d.C4", "something is left", rule_518},
      {"reflection_pad2d.C5", "padding is smaller than the dimension that is mirrored", rule_519}}},
    {"aten.reflection_pad2d_backward.default", {rule_0}, {
      {"reflection_pad2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"reflection_pad2d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_517},
      {"reflection_pad2d_backward.C3", "only the batch may be empty", rule_10},
      {"reflection_pad2d_backward.C4", "something is left", rule_518},
      {"reflection_pad2d_backward.C5", "padding is smaller than the dimension that is mirrored", rule_519},
      {"reflection_pad2d_backward.C6", "the gradient has the shape of the forward result", rule_516}}},
    {"aten.reflection_pad3d.default", {rule_512}, {
      {"reflection_pad3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"reflection_pad3d.C2", "two paddings per spatial dimension, the last dimension first", rule_520},
      {"reflection_pad3d.C3", "only the batch may be empty", rule_204},
      {"reflection_pad3d.C4", "something is left", rule_521},
      {"reflection_pad3d.C5", "padding is smaller than the dimension that is mirrored", rule_522}}},
    {"aten.reflection_pad3d_backward.default", {rule_0}, {
      {"reflection_pad3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"reflection_pad3d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_520},
      {"reflection_pad3d_backward.C3", "only the batch may be empty", rule_204},
      {"reflection_pad3d_backward.C4", "something is left", rule_521},
      {"reflection_pad3d_backward.C5", "padding is smaller than the dimension that is mirrored", rule_522},
      {"reflection_pad3d_backward.C6", "the gradient has the shape of the forward result", rule_516}}},
    {"aten.relu.default", {rule_0}, {}},
    {"aten.remainder.Scalar", {rule_0}, {}},
    {"aten.remainder.Scalar_Tensor", {rule_260}, {}},
    {"aten.remainder.Tensor", {rule_1}, {}},
    {"aten.renorm.default", {rule_0}, {
      {"renorm.C1", "the dimension exists beside others", rule_523},
      {"renorm.C2", "order and norm are positive", rule_524}}},
    {"aten.repeat.default", {rule_525}, {
      {"repeat.C1", "one count a dimension", rule_526}}},
    {"aten.repeat_interleave.Tensor", {rule_527}, {
      {"repeat_interleave.Tensor.C1", "the counts are a vector", rule_528}}},
    {"aten.replication_pad1d.default", {rule_512}, {
      {"replication_pad1d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_280},
      {"replication_pad1d.C2", "two paddings per spatial dimension, the last dimension first", rule_513},
      {"replication_pad1d.C3", "only the batch may be empty", rule_4},
      {"replication_pad1d.C4", "something is left", rule_514}}},
    {"aten.replication_pad1d_backward.default", {rule_0}, {
      {"replication_pad1d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_280},
      {"replication_pad1d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_513},
      {"replication_pad1d_backward.C3", "only the batch may be empty", rule_4},
      {"replication_pad1d_backward.C4", "something is left", rule_514},
      {"replication_pad1d_backward.C5", "the gradient has the shape of the forward result", rule_516}}},
    {"aten.replication_pad2d.default", {rule_512}, {
      {"replication_pad2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"replication_pad2d.C2", "two paddings per spatial dimension, the last dimension first", rule_517},
      {"replication_pad2d.C3", "only the batch may be empty", rule_10},
      {"replication_pad2d.C4", "something is left", rule_518}}},
    {"aten.replication_pad2d_backward.default", {rule_0}, {
      {"replication_pad2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_3},
      {"replication_pad2d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_517},
      {"replication_pad2d_backward.C3", "only the batch may be empty", rule_10},
      {"replication_pad2d_backward.C4", "something is left", rule_518},
      {"replication_pad2d_backward.C5", "the gradient has the shape of the forward result", rule_516}}},
    {"aten.replication_pad3d.default", {rule_512}, {
      {"replication_pad3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"replication_pad3d.C2", "two paddings per spatial dimension, the last dimension first", rule_520},
      {"replication_pad3d.C3", "only the batch may be empty", rule_204},
      {"replication_pad3d.C4", "something is left", rule_521}}},
    {"aten.replication_pad3d_backward.default", {rule_0}, {
      {"replication_pad3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_9},
      {"replication_pad3d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_520},
      {"replication_pad3d_backward.C3", "only the batch may be empty", rule_204},
      {"replication_pad3d_backward.C4", "something is left", rule_521},
      {"replication_pad3d_backward.C5", "the gradient has the shape of the forward result", rule_516}}},
    {"aten.resize.default", {rule_58}, {}},
    {"aten.resize_as.default", {rule_529}, {}},
    {"aten.roll.default", {rule_0}, {
      {"roll.C1", "one shift a dimension", rule_530}}},
    {"aten.rot90.default", {rule_531}, {
      {"rot90.C1", "there is a plane to turn in", rule_532},
      {"rot90.C2", "two different dimensions", rule_332}}},
    {"aten.round.decimals", {rule_0}, {}},
    {"aten.round.default", {rule_0}, {}},
    {"aten.rsqrt.default", {rule_0}, {}},
    {"aten.rsub.Scalar", {rule_0}, {}},
    {"aten.rsub.Tensor", {rule_1}, {}},
    {"aten.scalar_tensor.default", {rule_136}, {}},
    {"aten.scatter.reduce", {rule_0}, {
      {"scatter.reduce.C1", "the dimension exists", rule_137},
      {"scatter.reduce.C2", "index and operand have one rank; a scalar counts as a vector", rule_342},
      {"scatter.reduce.C3", "the index is not larger than the operand", rule_343},
      {"scatter.reduce.C4", "there is a source element for every index", rule_533}}},
    {"aten.scatter.src", {rule_0}, {
      {"scatter.src.C1", "the dimension exists", rule_137},
      {"scatter.src.C2", "index and operand have one rank; a scalar counts as a vector", rule_342},
      {"scatter.src.C3", "the index is not larger than the operand", rule_343},
      {"scatter.src.C6", "there is a source element for every index", rule_533}}},
    {"aten.scatter.value", {rule_0}, {
      {"scatter.value.C1", "the dimension exists", rule_137},
      {"scatter.value.C2", "index and operand have one rank; a scalar counts as a vector", rule_342},
      {"scatter.value.C3", "the index is not larger than the operand", rule_343}}},
    {"aten.scatter.value_reduce", {rule_0}, {
      {"scatter.value_reduce.C1", "the dimension exists", rule_137},
      {"scatter.value_reduce.C2", "index and operand have one rank; a scalar counts as a vector", rule_342},
      {"scatter.value_reduce.C3", "the index is not larger than the operand", rule_343}}},
    {"aten.scatter_add.default", {rule_0}, {
      {"scatter_add.C1", "the dimension exists", rule_137},
      {"scatter_add.C2", "index and operand have one rank; a scalar counts as a vector", rule_342},
      {"scatter_add.C3", "the index is not larger than the operand", rule_343},
      {"scatter_add.C4", "there is a source element for every index", rule_533}}},
    {"aten.scatter_reduce.two", {rule_0}, {
      {"scatter_reduce.two.C1", "the dimension exists", rule_137},
      {"scatter_reduce.two.C2", "index and operand have one rank; a scalar counts as a vector", rule_342},
      {"scatter_reduce.two.C3", "the index is not larger than the operand", rule_343},
      {"scatter_reduce.two.C6", "there is a source element for every index", rule_533},
      {"scatter_reduce.two.C8", "complex numbers have no order", rule_534},
      {"scatter_reduce.two.C9", "bools have no mean", rule_362}}},
    {"aten.searchsorted.Scalar", {rule_136}, {
      {"searchsorted.Scalar.C1", "there is one sequence", rule_535},
      {"searchsorted.Scalar.C2", "the two ways to name the side agree", rule_536},
      {"searchsorted.Scalar.C3", "there is one position for each element", rule_537}}},
    {"aten.searchsorted.Tensor", {rule_0}, {
      {"searchsorted.Tensor.C1", "one sequence for all, or one for each row of values", rule_538},
      {"searchsorted.Tensor.C2", "a sequence has a dimension", rule_539},
      {"searchsorted.Tensor.C3", "the two ways to name the side agree", rule_536},
      {"searchsorted.Tensor.C4", "there is one position for each element", rule_537}}},
    {"aten.select.int", {rule_540}, {
      {"select.int.C1", "a scalar has no slices", rule_160},
      {"select.int.C2", "the dimension exists", rule_137},
      {"select.int.C3", "the slice exists", rule_541}}},
    {"aten.select_backward.default", {rule_307}, {
      {"select_backward.C1", "the dimension exists", rule_542},
      {"select_backward.C2", "the index exists", rule_543},
      {"select_backward.C3", "the gradient has the shape of the selected slice", rule_544}}},
    {"aten.select_copy.int", {rule_540}, {
      {"select_copy.int.C1", "a scalar has no slices", rule_160},
      {"select_copy.int.C2", "the dimension exists", rule_137},
      {"select_copy.int.C3", "the slice exists", rule_541}}},
    {"aten.select_scatter.default", {rule_0}, {
      {"select_scatter.C1", "a scalar has no slices", rule_160},
      {"select_scatter.C2", "the dimension exists", rule_137},
      {"select_scatter.C3", "the source has the shape of the slice", rule_545},
      {"select_scatter.C4", "the slice exists", rule_541}}},
    {"aten.sgn.default", {rule_0}, {}},
    {"aten.sigmoid.default", {rule_0}, {}},
    {"aten.sigmoid_backward.default", {rule_314}, {
      {"sigmoid_backward.C1", "the gradient has the shape of the point it is taken at", rule_141}}},
    {"aten.sign.default", {rule_0}, {}},
    {"aten.signbit.default", {rule_0}, {}},
    {"aten.silu.default", {rule_0}, {}},
    {"aten.silu_backward.default", {rule_314}, {
      {"silu_backward.C1", "the gradient has the shape of the point it is taken at", rule_156}}},
    {"aten.sin.default", {rule_0}, {}},
    {"aten.sinc.default", {rule_0}, {}},
    {"aten.sinh.default", {rule_0}, {}},
    {"aten.slice.Tensor", {rule_546}, {
      {"slice.Tensor.C1", "a scalar has no slices", rule_160},
      {"slice.Tensor.C2", "the dimension exists", rule_137},
      {"slice.Tensor.C3", "the step is positive", rule_547}}},
    {"aten.slice_backward.default", {rule_307}, {
      {"slice_backward.C1", "the dimension exists", rule_542},
      {"slice_backward.C2", "the step is positive", rule_547},
      {"slice_backward.C3", "the gradient has the shape of the slice", rule_548}}},
    {"aten.slice_copy.Tensor", {rule_546}, {
      {"slice_copy.Tensor.C1", "a scalar has no slices", rule_160},
      {"slice_copy.Tensor.C2", "the dimension exists", rule_137},
      {"slice_copy.Tensor.C3", "the step is positive", rule_547}}},
    {"aten.slice_scatter.default", {rule_0}, {
      {"slice_scatter.C1", "a scalar has no slices", rule_160},
      {"slice_scatter.C2", "the dimension exists", rule_137},
      {"slice_scatter.C3", "the step is positive", rule_547},
      {"slice_scatter.C4", "the source has the shape of the slice", rule_549}}},
    {"aten.smooth_l1_loss.default", {rule_253}, {
      {"smooth_l1_loss.C1", "input and target have one shape", rule_254},
      {"smooth_l1_loss.C2", "reduction is none, mean or sum", rule_255},
      {"smooth_l1_loss.C3", "beta is positive", rule_550}}},
    {"aten.smooth_l1_loss_backward.default", {rule_0}, {
      {"smooth_l1_loss_backward.C1", "input and target have one shape", rule_254},
      {"smooth_l1_loss_backward.C2", "reduction is none, mean or sum", rule_255},
      {"smooth_l1_loss_backward.C3", "beta is positive", rule_550},
      {"smooth_l1_loss_backward.C4", "the gradient has the shape of the loss", rule_257}}},
    {"aten.soft_margin_loss.default", {rule_253}, {
      {"soft_margin_loss.C1", "input and target have one shape", rule_254},
      {"soft_margin_loss.C2", "reduction is none, mean or sum", rule_255}}},
    {"aten.soft_margin_loss_backward.default", {rule_0}, {
      {"soft_margin_loss_backward.C1", "input and target have one shape", rule_254},
      {"soft_margin_loss_backward.C2", "reduction is none, mean or sum", rule_255},
      {"soft_margin_loss_backward.C3", "the gradient has the shape of the loss", rule_257}}},
    {"aten.softplus.default", {rule_0}, {}},
    {"aten.softplus_backward.default", {rule_314}, {
      {"softplus_backward.C1", "the gradient has the shape of the point it is taken at", rule_156}}},
    {"aten.softshrink.default", {rule_0}, {}},
    {"aten.softshrink_backward.default", {rule_314}, {
      {"softshrink_backward.C1", "the gradient has the shape of the point it is taken at", rule_156}}},
    {"aten.sort.default", {rule_0, rule_0}, {
      {"sort.C1", "the dimension exists", rule_137}}},
    {"aten.sort.stable", {rule_0, rule_0}, {
      {"sort.stable.C1", "the dimension exists", rule_137}}},
    {"aten.special_airy_ai.default", {rule_56}, {}},
    {"aten.special_bessel_j0.default", {rule_0}, {}},
    {"aten.special_bessel_j1.default", {rule_0}, {}},
    {"aten.special_bessel_y0.default", {rule_0}, {}},
    {"aten.special_bessel_y1.default", {rule_0}, {}},
    {"aten.special_chebyshev_polynomial_t.default", {rule_551}, {}},
    {"aten.special_chebyshev_polynomial_t.n_scalar", {rule_56}, {}},
    {"aten.special_chebyshev_polynomial_t.x_scalar", {rule_552}, {}},
    {"aten.special_chebyshev_polynomial_u.default", {rule_551}, {}},
    {"aten.special_chebyshev_polynomial_u.n_scalar", {rule_56}, {}},
    {"aten.special_chebyshev_polynomial_u.x_scalar", {rule_552}, {}},
    {"aten.special_chebyshev_polynomial_v.default", {rule_551}, {}},
    {"aten.special_chebyshev_polynomial_v.n_scalar", {rule_56}, {}},
    {"aten.special_chebyshev_polynomial_v.x_scalar", {rule_552}, {}},
    {"aten.special_chebyshev_polynomial_w.default", {rule_551}, {}},
    {"aten.special_chebyshev_polynomial_w.n_scalar", {rule_56}, {}},
    {"aten.special_chebyshev_polynomial_w.x_scalar", {rule_552}, {}},
    {"aten.special_entr.default", {rule_0}, {}},
    {"aten.special_erfcx.default", {rule_0}, {}},
    {"aten.special_hermite_polynomial_h.default", {rule_551}, {}},
    {"aten.special_hermite_polynomial_h.n_scalar", {rule_56}, {}},
    {"aten.special_hermite_polynomial_h.x_scalar", {rule_552}, {}},
    {"aten.special_hermite_polynomial_he.default", {rule_551}, {}},
    {"aten.special_hermite_polynomial_he.n_scalar", {rule_56}, {}},
    {"aten.special_hermite_polynomial_he.x_scalar", {rule_552}, {}},
    {"aten.special_i0e.default", {rule_0}, {}},
    {"aten.special_i1.default", {rule_0}, {}},
    {"aten.special_i1e.default", {rule_0}, {}},
    {"aten.special_laguerre_polynomial_l.default", {rule_551}, {}},
    {"aten.special_laguerre_polynomial_l.n_scalar", {rule_56}, {}},
    {"aten.special_laguerre_polynomial_l.x_scalar", {rule_552}, {}},
    {"aten.special_legendre_polynomial_p.default", {rule_551}, {}},
    {"aten.special_legendre_polynomial_p.n_scalar", {rule_56}, {}},
    {"aten.special_legendre_polynomial_p.x_scalar", {rule_552}, {}},
    {"aten.special_log_ndtr.default", {rule_0}, {}},
    {"aten.special_modified_bessel_i0.default", {rule_0}, {}},
    {"aten.special_modified_bessel_i1.default", {rule_0}, {}},
    {"aten.special_modified_bessel_k0.default", {rule_0}, {}},
    {"aten.special_modified_bessel_k1.default", {rule_0}, {}},
    {"aten.special_ndtri.default", {rule_0}, {}},
    {"aten.special_scaled_modified_bessel_k0.default", {rule_56}, {}},
    {"aten.special_scaled_modified_bessel_k1.default", {rule_56}, {}},
    {"aten.special_shifted_chebyshev_polynomial_t.default", {rule_551}, {}},
    {"aten.special_shifted_chebyshev_polynomial_t.n_scalar", {rule_56}, {}},
    {"aten.special_shifted_chebyshev_polynomial_t.x_scalar", {rule_552}, {}},
    {"aten.special_shifted_chebyshev_polynomial_u.default", {rule_551}, {}},
    {"aten.special_shifted_chebyshev_polynomial_u.n_scalar", {rule_56}, {}},
    {"aten.special_shifted_chebyshev_polynomial_u.x_scalar", {rule_552}, {}},
    {"aten.special_shifted_chebyshev_polynomial_v.default", {rule_551}, {}},
    {"aten.special_shifted_chebyshev_polynomial_v.n_scalar", {rule_56}, {}},
    {"aten.special_shifted_chebyshev_polynomial_v.x_scalar", {rule_552}, {}},
    {"aten.special_shifted_chebyshev_polynomial_w.default", {rule_551}, {}},
    {"aten.special_shifted_chebyshev_polynomial_w.n_scalar", {rule_56}, {}},
    {"aten.special_shifted_chebyshev_polynomial_w.x_scalar", {rule_552}, {}},
    {"aten.special_spherical_bessel_j0.default", {rule_56}, {}},
    {"aten.special_xlog1py.default", {rule_1}, {}},
    {"aten.special_xlog1py.other_scalar", {rule_0}, {}},
    {"aten.special_xlog1py.self_scalar", {rule_260}, {}},
    {"aten.special_zeta.default", {rule_1}, {}},
    {"aten.special_zeta.other_scalar", {rule_0}, {}},
    {"aten.special_zeta.self_scalar", {rule_260}, {}},
    {"aten.split.Tensor", {rule_553}, {
      {"split.Tensor.C1", "a scalar has no slices", rule_160},
      {"split.Tensor.C2", "the dimension exists", rule_137},
      {"split.Tensor.C3", "pieces are not empty", rule_554}}},
    {"aten.split_copy.Tensor", {rule_553}, {
      {"split_copy.Tensor.C1", "a scalar has no slices", rule_160},
      {"split_copy.Tensor.C2", "the dimension exists", rule_137},
      {"split_copy.Tensor.C3", "pieces are not empty", rule_554}}},
    {"aten.split_with_sizes.default", {rule_555}, {
      {"split_with_sizes.C1", "a scalar has no slices", rule_160},
      {"split_with_sizes.C2", "the dimension exists", rule_137},
      {"split_with_sizes.C3", "a piece has no negative length", rule_556}}},
    {"aten.split_with_sizes_copy.default", {rule_555}, {
      {"split_with_sizes_copy.C1", "a scalar has no slices", rule_160},
      {"split_with_sizes_copy.C2", "the dimension exists", rule_137},
      {"split_with_sizes_copy.C3", "a piece has no negative length", rule_556}}},
    {"aten.sqrt.default", {rule_0}, {}},
    {"aten.squeeze.default", {rule_557}, {}},
    {"aten.squeeze.dim", {rule_558}, {
      {"squeeze.dim.C1", "the dimension exists", rule_137}}},
    {"aten.squeeze.dims", {rule_558}, {
      {"squeeze.dims.C1", "the dimensions exist and are listed once", rule_25}}},
    {"aten.squeeze_copy.default", {rule_557}, {}},
    {"aten.squeeze_copy.dim", {rule_558}, {
      {"squeeze_copy.dim.C1", "the dimension exists", rule_137}}},
    {"aten.squeeze_copy.dims", {rule_558}, {
      {"squeeze_copy.dims.C1", "the dimensions exist and are listed once", rule_25}}},
    {"aten.stack.default", {rule_173}, {
      {"stack.C1", "there is something to stack", rule_53}}},
    {"aten.std.correction", {rule_24}, {
      {"std.correction.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.std_mean.correction", {rule_24, rule_24}, {
      {"std_mean.correction.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.sub.Scalar", {rule_0}, {}},
    {"aten.sub.Tensor", {rule_1}, {}},
    {"aten.sum.default", {rule_22}, {}},
    {"aten.sum.dim_IntList", {rule_24}, {
      {"sum.dim_IntList.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.sym_constrain_range.default", {}, {
      {"sym_constrain_range.C1", "the number lies in the range", rule_104}}},
    {"aten.sym_constrain_range_for_size.default", {}, {
      {"sym_constrain_range_for_size.C1", "the number lies in the range", rule_104},
      {"sym_constrain_range_for_size.C2", "sizes are not negative", rule_105}}},
    {"aten.t.default", {rule_559}, {
      {"t.C1", "at most two dimensions", rule_560}}},
    {"aten.t_copy.default", {rule_559}, {
      {"t_copy.C1", "at most two dimensions", rule_560}}},
    {"aten.take.default", {rule_341}, {
      {"take.C1", "there is something to take", rule_503}}},
    {"aten.tan.default", {rule_0}, {}},
    {"aten.tanh.default", {rule_0}, {}},
    {"aten.tanh_backward.default", {rule_314}, {
      {"tanh_backward.C1", "the gradient has the shape of the point it is taken at", rule_141}}},
    {"aten.threshold.default", {rule_0}, {}},
    {"aten.threshold_backward.default", {rule_314}, {
      {"threshold_backward.C1", "the gradient has the shape of the point it is taken at", rule_156}}},
    {"aten.topk.default", {rule_561, rule_561}, {
      {"topk.C1", "the dimension exists", rule_137},
      {"topk.C2", "there are k elements", rule_562},
      {"topk.C3", "a scalar has one element", rule_563}}},
    {"aten.trace.default", {rule_136}, {
      {"trace.C1", "the operand is a matrix", rule_152}}},
    {"aten.transpose.int", {rule_564}, {
      {"transpose.int.C1", "the dimensions exist", rule_565}}},
    {"aten.transpose_copy.int", {rule_564}, {
      {"transpose_copy.int.C1", "the dimensions exist", rule_565}}},
    {"aten.triangular_solve.default", {rule_566, rule_567}, {
      {"triangular_solve.C1", "the matrices are square", rule_49},
      {"triangular_solve.C2", "the right-hand sides have a row for each equation", rule_50}}},
    {"aten.tril.default", {rule_0}, {
      {"tril.C1", "the operand is a matrix or a batch of matrices", rule_346}}},
    {"aten.tril_indices.default", {rule_568}, {
      {"tril_indices.C1", "the sizes are not negative", rule_569},
      {"tril_indices.C2", "a dtype of indices", rule_570}}},
    {"aten.triu.default", {rule_0}, {
      {"triu.C1", "the operand is a matrix or a batch of matrices", rule_346}}},
    {"aten.triu_indices.default", {rule_571}, {
      {"triu_indices.C1", "the sizes are not negative", rule_569},
      {"triu_indices.C2", "a dtype of indices", rule_570}}},
    {"aten.true_divide.Tensor", {rule_1}, {}},
    {"aten.trunc.default", {rule_0}, {}},
    {"aten.unbind.int", {rule_572}, {
      {"unbind.int.C1", "a scalar has no slices", rule_160},
      {"unbind.int.C2", "the dimension exists", rule_137}}},
    {"aten.unbind_copy.int", {rule_572}, {
      {"unbind_copy.int.C1", "a scalar has no slices", rule_160},
      {"unbind_copy.int.C2", "the dimension exists", rule_137}}},
    {"aten.unfold.default", {rule_573}, {
      {"unfold.C1", "the dimension exists", rule_574},
      {"unfold.C2", "the window fits", rule_575},
      {"unfold.C3", "the step is positive", rule_547}}},
    {"aten.unfold_backward.default", {rule_307}, {
      {"unfold_backward.C1", "the dimension exists", rule_576},
      {"unfold_backward.C2", "windows advance", rule_547},
      {"unfold_backward.C3", "the gradient has the shape of the forward result", rule_577}}},
    {"aten.unfold_copy.default", {rule_573}, {
      {"unfold_copy.C1", "the dimension exists", rule_574},
      {"unfold_copy.C2", "the window fits", rule_575},
      {"unfold_copy.C3", "windows advance", rule_547}}},
    {"aten.uniform.default", {rule_0}, {}},
    {"aten.unsafe_split.Tensor", {rule_553}, {
      {"unsafe_split.Tensor.C1", "a scalar has no slices", rule_160},
      {"unsafe_split.Tensor.C2", "the dimension exists", rule_137},
      {"unsafe_split.Tensor.C3", "pieces are not empty", rule_554}}},
    {"aten.unsafe_split_with_sizes.default", {rule_555}, {
      {"unsafe_split_with_sizes.C1", "a scalar has no slices", rule_160},
      {"unsafe_split_with_sizes.C2", "the dimension exists", rule_137},
      {"unsafe_split_with_sizes.C3", "a piece has no negative length", rule_556}}},
    {"aten.unsqueeze.default", {rule_578}, {
      {"unsqueeze.C1", "the dimension exists in the result", rule_579}}},
    {"aten.unsqueeze_copy.default", {rule_578}, {
      {"unsqueeze_copy.C1", "the dimension exists in the result", rule_579}}},
    {"aten.upsample_bicubic2d.default", {rule_180}, {
      {"upsample_bicubic2d.C1", "the input is [N, C, *spatial]", rule_181},
      {"upsample_bicubic2d.C2", "only the batch may be empty", rule_182},
      {"upsample_bicubic2d.C3", "one output size per spatial dimension", rule_5}}},
    {"aten.upsample_bicubic2d_backward.default", {rule_183}, {
      {"upsample_bicubic2d_backward.C1", "the gradient is [N, C, *spatial]", rule_184},
      {"upsample_bicubic2d_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"upsample_bicubic2d_backward.C3", "only the batch may be empty", rule_186},
      {"upsample_bicubic2d_backward.C4", "one output size per spatial dimension", rule_5}}},
    {"aten.upsample_bilinear2d.default", {rule_180}, {
      {"upsample_bilinear2d.C1", "the input is [N, C, *spatial]", rule_181},
      {"upsample_bilinear2d.C2", "only the batch may be empty", rule_182},
      {"upsample_bilinear2d.C3", "one output size per spatial dimension", rule_5}}},
    {"aten.upsample_bilinear2d_backward.default", {rule_183}, {
      {"upsample_bilinear2d_backward.C1", "the gradient is [N, C, *spatial]", rule_184},
      {"upsample_bilinear2d_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"upsample_bilinear2d_backward.C3", "only the batch may be empty", rule_186},
      {"upsample_bilinear2d_backward.C4", "one output size per spatial dimension", rule_5}}},
    {"aten.upsample_linear1d.default", {rule_180}, {
      {"upsample_linear1d.C1", "the input is [N, C, *spatial]", rule_187},
      {"upsample_linear1d.C2", "only the batch may be empty", rule_182},
      {"upsample_linear1d.C3", "one output size per spatial dimension", rule_188}}},
    {"aten.upsample_linear1d_backward.default", {rule_183}, {
      {"upsample_linear1d_backward.C1", "the gradient is [N, C, *spatial]", rule_189},
      {"upsample_linear1d_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"upsample_linear1d_backward.C3", "only the batch may be empty", rule_186},
      {"upsample_linear1d_backward.C4", "one output size per spatial dimension", rule_188}}},
    {"aten.upsample_nearest1d.default", {rule_180}, {
      {"upsample_nearest1d.C1", "the input is [N, C, *spatial]", rule_187},
      {"upsample_nearest1d.C2", "only the batch may be empty", rule_182},
      {"upsample_nearest1d.C3", "one output size per spatial dimension", rule_188}}},
    {"aten.upsample_nearest1d_backward.default", {rule_183}, {
      {"upsample_nearest1d_backward.C1", "the gradient is [N, C, *spatial]", rule_189},
      {"upsample_nearest1d_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"upsample_nearest1d_backward.C3", "only the batch may be empty", rule_186},
      {"upsample_nearest1d_backward.C4", "one output size per spatial dimension", rule_188}}},
    {"aten.upsample_nearest2d.default", {rule_180}, {
      {"upsample_nearest2d.C1", "the input is [N, C, *spatial]", rule_181},
      {"upsample_nearest2d.C2", "only the batch may be empty", rule_182},
      {"upsample_nearest2d.C3", "one output size per spatial dimension", rule_5}}},
    {"aten.upsample_nearest2d_backward.default", {rule_183}, {
      {"upsample_nearest2d_backward.C1", "the gradient is [N, C, *spatial]", rule_184},
      {"upsample_nearest2d_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"upsample_nearest2d_backward.C3", "only the batch may be empty", rule_186},
      {"upsample_nearest2d_backward.C4", "one output size per spatial dimension", rule_5}}},
    {"aten.upsample_nearest3d.default", {rule_180}, {
      {"upsample_nearest3d.C1", "the input is [N, C, *spatial]", rule_190},
      {"upsample_nearest3d.C2", "only the batch may be empty", rule_182},
      {"upsample_nearest3d.C3", "one output size per spatial dimension", rule_11}}},
    {"aten.upsample_nearest3d_backward.default", {rule_183}, {
      {"upsample_nearest3d_backward.C1", "the gradient is [N, C, *spatial]", rule_191},
      {"upsample_nearest3d_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"upsample_nearest3d_backward.C3", "only the batch may be empty", rule_186},
      {"upsample_nearest3d_backward.C4", "one output size per spatial dimension", rule_11}}},
    {"aten.upsample_trilinear3d.default", {rule_180}, {
      {"upsample_trilinear3d.C1", "the input is [N, C, *spatial]", rule_190},
      {"upsample_trilinear3d.C2", "only the batch may be empty", rule_182},
      {"upsample_trilinear3d.C3", "one output size per spatial dimension", rule_11}}},
    {"aten.upsample_trilinear3d_backward.default", {rule_183}, {
      {"upsample_trilinear3d_backward.C1", "the gradient is [N, C, *spatial]", rule_191},
      {"upsample_trilinear3d_backward.C2", "the gradient has the shape of the forward result", rule_185},
      {"upsample_trilinear3d_backward.C3", "only the batch may be empty", rule_186},
      {"upsample_trilinear3d_backward.C4", "one output size per spatial dimension", rule_11}}},
    {"aten.var.correction", {rule_24}, {
      {"var.correction.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.var_mean.correction", {rule_24, rule_24}, {
      {"var_mean.correction.C1", "dimensions exist and are listed once", rule_25}}},
    {"aten.vdot.default", {rule_136}, {
      {"vdot.C1", "both operands are vectors", rule_580},
      {"vdot.C2", "both have one length", rule_581}}},
    {"aten.view.default", {rule_159}, {}},
    {"aten.view.dtype", {rule_582}, {
      {"view.dtype.C1", "the last dimension divides into elements of the new width", rule_583}}},
    {"aten.view_as_complex.default", {rule_127}, {
      {"view_as_complex.C1", "the last dimension holds real and imaginary parts", rule_584}}},
    {"aten.view_as_complex_copy.default", {rule_127}, {
      {"view_as_complex_copy.C1", "the last dimension holds real and imaginary parts", rule_584}}},
    {"aten.view_as_real.default", {rule_585}, {}},
    {"aten.view_as_real_copy.default", {rule_585}, {}},
    {"aten.view_copy.default", {rule_159}, {}},
    {"aten.view_copy.dtype", {rule_582}, {
      {"view_copy.dtype.C1", "the last dimension divides into elements of the new width", rule_583}}},
    {"aten.where.self", {rule_586}, {}},
    {"aten.xlogy.Scalar_Other", {rule_0}, {}},
    {"aten.xlogy.Scalar_Self", {rule_260}, {}},
    {"aten.xlogy.Tensor", {rule_1}, {}},
    {"aten.zero.default", {rule_0}, {}},
    {"aten.zeros.default", {rule_58}, {}},
    {"aten.zeros_like.default", {rule_0}, {}},
    {"prims.convert_element_type.default", {rule_587}, {}},
    {"quantized_decomposed._choose_qparams_per_token_asymmetric_impl.default", {rule_588, rule_588}, {
      {"_choose_qparams_per_token_asymmetric_impl.C1", "something is there to be measured", rule_589}}},
    {"quantized_decomposed.choose_qparams.tensor", {rule_67, rule_67}, {
      {"choose_qparams.tensor.C1", "something is there to be measured", rule_33},
      {"choose_qparams.tensor.C2", "the range is not empty", rule_64}}},
    {"quantized_decomposed.choose_qparams_per_token.default", {rule_588, rule_588}, {
      {"choose_qparams_per_token.C1", "something is there to be measured", rule_589}}},
    {"quantized_decomposed.choose_qparams_per_token_asymmetric.default", {rule_588, rule_588}, {
      {"choose_qparams_per_token_asymmetric.C1", "something is there to be measured", rule_589}}},
    {"quantized_decomposed.choose_qparams_symmetric.tensor", {rule_67, rule_67}, {
      {"choose_qparams_symmetric.tensor.C1", "something is there to be measured", rule_33},
      {"choose_qparams_symmetric.tensor.C2", "the range is not empty", rule_64}}},
    {"quantized_decomposed.convert_element_type.no_fuse", {rule_30}, {}},
    {"quantized_decomposed.dequantize_per_channel.default", {rule_30}, {
      {"dequantize_per_channel.C1", "dtype names the dtype of the quantized values", rule_590},
      {"dequantize_per_channel.C2", "the channel axis exists, counted from the front", rule_591},
      {"dequantize_per_channel.C3", "one scale for each channel", rule_592},
      {"dequantize_per_channel.C4", "one zero point for each channel", rule_593}}},
    {"quantized_decomposed.dequantize_per_channel_group.default", {rule_30}, {
      {"dequantize_per_channel_group.C1", "dtype names the dtype of the quantized values", rule_590},
      {"dequantize_per_channel_group.C2", "parameters go by rows", rule_594},
      {"dequantize_per_channel_group.C3", "groups are of more than one element and divide a row", rule_595},
      {"dequantize_per_channel_group.C4", "one scale for each group", rule_596},
      {"dequantize_per_channel_group.C5", "one zero point for each group", rule_593}}},
    {"quantized_decomposed.dequantize_per_tensor.default", {rule_30}, {
      {"dequantize_per_tensor.C1", "dtype names the dtype of the quantized values", rule_590}}},
    {"quantized_decomposed.dequantize_per_tensor.tensor", {rule_30}, {
      {"dequantize_per_tensor.tensor.C1", "dtype names the dtype of the quantized values", rule_590},
      {"dequantize_per_tensor.tensor.C2", "one scale and zero point", rule_597}}},
    {"quantized_decomposed.dequantize_per_tensor.tensor2", {rule_30}, {
      {"dequantize_per_tensor.tensor2.C1", "dtype names the dtype of the quantized values", rule_590},
      {"dequantize_per_tensor.tensor2.C2", "one scale and zero point", rule_597}}},
    {"quantized_decomposed.dequantize_per_token.default", {rule_30}, {
      {"dequantize_per_token.C1", "dtype names the dtype of the quantized values", rule_590},
      {"dequantize_per_token.C2", "the input has rows", rule_598},
      {"dequantize_per_token.C3", "one scale and zero point for each row", rule_599}}},
    {"quantized_decomposed.fake_quant_per_channel.default", {rule_30}, {
      {"fake_quant_per_channel.C1", "the range is not empty", rule_64},
      {"fake_quant_per_channel.C2", "the channel axis exists, counted from the front", rule_591},
      {"fake_quant_per_channel.C3", "one scale for each channel", rule_592},
      {"fake_quant_per_channel.C4", "one zero point for each channel", rule_593}}},
    {"quantized_decomposed.quantize_per_channel.default", {rule_30}, {
      {"quantize_per_channel.C1", "the range is not empty", rule_64},
      {"quantize_per_channel.C2", "the channel axis exists, counted from the front", rule_591},
      {"quantize_per_channel.C3", "one scale for each channel", rule_592},
      {"quantize_per_channel.C4", "one zero point for each channel", rule_593}}},
    {"quantized_decomposed.quantize_per_channel_group.default", {rule_30}, {
      {"quantize_per_channel_group.C1", "the range is not empty", rule_64},
      {"quantize_per_channel_group.C2", "parameters go by rows", rule_594},
      {"quantize_per_channel_group.C3", "groups are of more than one element and divide a row", rule_595},
      {"quantize_per_channel_group.C4", "one scale for each group", rule_596},
      {"quantize_per_channel_group.C5", "one zero point for each group", rule_593}}},
    {"quantized_decomposed.quantize_per_tensor.default", {rule_30}, {
      {"quantize_per_tensor.C1", "the range is not empty", rule_64}}},
    {"quantized_decomposed.quantize_per_tensor.tensor", {rule_30}, {
      {"quantize_per_tensor.tensor.C1", "the range is not empty", rule_64},
      {"quantize_per_tensor.tensor.C2", "one scale and zero point", rule_597}}},
    {"quantized_decomposed.quantize_per_tensor.tensor2", {rule_30}, {
      {"quantize_per_tensor.tensor2.C1", "one scale and zero point", rule_597}}},
    {"quantized_decomposed.quantize_per_token.default", {rule_30}, {
      {"quantize_per_token.C1", "the range is not empty", rule_64},
      {"quantize_per_token.C2", "the input has rows", rule_598},
      {"quantize_per_token.C3", "one scale and zero point for each row", rule_599}}},
    {"torchport.batch_norm_inference.default", {rule_30}, {
      {"batch_norm_inference.C1", "the input is [N, C, …] and has elements", rule_247},
      {"batch_norm_inference.C2", "one mean and one variance per channel", rule_600},
      {"batch_norm_inference.C3", "weight has shape input[1:2]", rule_34},
      {"batch_norm_inference.C4", "bias has shape input[1:2]", rule_35},
      {"batch_norm_inference.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"batch_norm_inference.C6", "a bias comes with a weight", rule_601}}},
    {"torchport.batch_norm_training.default", {rule_30, rule_40, rule_41}, {
      {"batch_norm_training.C1", "the input is [N, C, …] and has elements", rule_247},
      {"batch_norm_training.C2", "more than one value per channel", rule_602},
      {"batch_norm_training.C3", "one running mean and variance per channel", rule_38},
      {"batch_norm_training.C4", "weight has shape input[1:2]", rule_34},
      {"batch_norm_training.C5", "bias has shape input[1:2]", rule_35},
      {"batch_norm_training.C6", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"batch_norm_training.C7", "a bias comes with a weight", rule_601}}},
    {"torchport.cross_entropy.default", {rule_603}, {
      {"cross_entropy.C1", "the input has classes and rows", rule_604},
      {"cross_entropy.C2", "one target per row", rule_605},
      {"cross_entropy.C3", "one weight per class", rule_606},
      {"cross_entropy.C4", "reduction is none, mean or sum", rule_255},
      {"cross_entropy.C5", "smoothing is a fraction", rule_607}}},
    {"torchport.cross_entropy_backward.default", {rule_30}, {
      {"cross_entropy_backward.C1", "the input has classes and rows", rule_604},
      {"cross_entropy_backward.C2", "one target per row", rule_605},
      {"cross_entropy_backward.C3", "one weight per class", rule_606},
      {"cross_entropy_backward.C4", "reduction is none, mean or sum", rule_255},
      {"cross_entropy_backward.C5", "smoothing is a fraction", rule_607},
      {"cross_entropy_backward.C6", "the gradient has the shape of the loss", rule_608}}},
    {"torchport.embedding_bag.default", {rule_609}, {
      {"embedding_bag.C1", "the weight is a matrix", rule_610},
      {"embedding_bag.C2", "the indices are a matrix, or a vector with offsets", rule_611},
      {"embedding_bag.C3", "a factor for each index", rule_612},
      {"embedding_bag.C4", "factors are for sums", rule_613}}},
    {"torchport.expert_dispatch.default", {rule_614, rule_614, rule_615, rule_616}, {
      {"expert_dispatch.C1", "a row of logits for each token", rule_617},
      {"expert_dispatch.C2", "there are k experts", rule_618}}},
    {"torchport.geglu.default", {rule_619}, {
      {"geglu.C1", "gate and up have one shape", rule_620}}},
    {"torchport.gelu_tanh.default", {rule_30}, {}},
    {"torchport.group_norm.default", {rule_30}, {
      {"group_norm.C1", "the input is [N, C, …] and has elements", rule_247},
      {"group_norm.C2", "the channels divide into the groups", rule_621},
      {"group_norm.C3", "a group has more than one element", rule_622},
      {"group_norm.C4", "weight has shape input[1:2]", rule_34},
      {"group_norm.C5", "bias has shape input[1:2]", rule_35},
      {"group_norm.C6", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"group_norm.C7", "a bias comes with a weight", rule_601}}},
    {"torchport.gru.default", {rule_623, rule_624}, {
      {"gru.C1", "the input is [T, B, I] or [B, T, I]", rule_625},
      {"gru.C2", "a state for each sequence", rule_626},
      {"gru.C3", "the weights have 3 gates", rule_627},
      {"gru.C4", "both or no biases", rule_628},
      {"gru.C5", "a bias for each gate", rule_629}}},
    {"torchport.householder_qr.default", {rule_0, rule_345}, {
      {"householder_qr.C1", "there are two dimensions at least", rule_346}}},
    {"torchport.instance_norm.default", {rule_30}, {
      {"instance_norm.C1", "the input is [N, C, …] and has elements", rule_247},
      {"instance_norm.C2", "there is more than one element to normalize", rule_630},
      {"instance_norm.C3", "weight has shape input[1:2]", rule_34},
      {"instance_norm.C4", "bias has shape input[1:2]", rule_35},
      {"instance_norm.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"instance_norm.C6", "a bias comes with a weight", rule_601}}},
    {"torchport.interpolate.default", {rule_631}, {
      {"interpolate.C1", "the input is [N, C, W] or [N, C, H, W] and has a new size for each spatial dimension", rule_632},
      {"interpolate.C2", "no size is 0", rule_633},
      {"interpolate.C3", "corners are aligned by linear interpolation only", rule_634},
      {"interpolate.C4", "one factor for each spatial dimension", rule_635}}},
    {"torchport.kv_cache_write.default", {rule_636}, {
      {"kv_cache_write.C1", "the dimension exists", rule_637},
      {"kv_cache_write.C2", "the update has one row for each position", rule_638}}},
    {"torchport.l2_normalize.default", {rule_30}, {
      {"l2_normalize.C1", "the dimension exists", rule_639}}},
    {"torchport.layer_norm.default", {rule_30}, {
      {"layer_norm.C1", "the input ends in normalized_shape", rule_114},
      {"layer_norm.C2", "weight has shape normalized_shape", rule_115},
      {"layer_norm.C3", "bias has shape normalized_shape", rule_467},
      {"layer_norm.C4", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36},
      {"layer_norm.C5", "a bias comes with a weight", rule_601}}},
    {"torchport.ldl_factor_hermitian.default", {rule_0, rule_127, rule_374}, {
      {"ldl_factor_hermitian.C1", "the matrices are square", rule_128}}},
    {"torchport.ldl_solve_hermitian.default", {rule_640}, {
      {"ldl_solve_hermitian.C1", "the matrices are square", rule_380},
      {"ldl_solve_hermitian.C2", "one batch, and a row for each equation", rule_641},
      {"ldl_solve_hermitian.C3", "there is a pivot for each row", rule_382}}},
    {"torchport.linear.default", {rule_642}, {
      {"linear.C1", "the weight is a matrix", rule_643},
      {"linear.C2", "the input ends in the weight's columns", rule_644},
      {"linear.C3", "one bias for each row of the weight", rule_645}}},
    {"torchport.lstm.default", {rule_623, rule_624, rule_646}, {
      {"lstm.C1", "the input is [T, B, I] or [B, T, I]", rule_625},
      {"lstm.C2", "a state for each sequence", rule_626},
      {"lstm.C3", "the weights have 4 gates", rule_647},
      {"lstm.C4", "both or no biases", rule_648},
      {"lstm.C5", "a bias for each gate", rule_649},
      {"lstm.C6", "cell and hidden state have one shape", rule_650}}},
    {"torchport.matmul.default", {rule_651}, {
      {"matmul.C1", "no operand is 0-dimensional", rule_652},
      {"matmul.C2", "the inner sizes are equal", rule_653}}},
    {"torchport.quantized_linear.default", {rule_642}, {
      {"quantized_linear.C1", "weight and scales are matrices", rule_654},
      {"quantized_linear.C2", "the input ends in the weight's columns", rule_644},
      {"quantized_linear.C3", "a scale for each row and group of columns", rule_655},
      {"quantized_linear.C4", "a zero point for each scale", rule_593},
      {"quantized_linear.C5", "one bias for each row of the weight", rule_645}}},
    {"torchport.relu_squared.default", {rule_30}, {}},
    {"torchport.rms_norm.default", {rule_30}, {
      {"rms_norm.C1", "the input ends in normalized_shape", rule_114},
      {"rms_norm.C2", "weight has shape normalized_shape", rule_115},
      {"rms_norm.C3", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36}}},
    {"torchport.rms_norm_backward.default", {rule_30, rule_656}, {
      {"rms_norm_backward.C1", "the input ends in normalized_shape", rule_114},
      {"rms_norm_backward.C2", "the gradient has the shape of the input", rule_657},
      {"rms_norm_backward.C3", "weight has shape normalized_shape", rule_115},
      {"rms_norm_backward.C4", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_36}}},
    {"torchport.rope.default", {rule_56}, {
      {"rope.C1", "the last dimension is made of pairs", rule_658},
      {"rope.C2", "cos and sin have one shape, which broadcasts", rule_659}}},
    {"torchport.rope_backward.default", {rule_314}, {
      {"rope_backward.C1", "the last dimension is made of pairs", rule_660},
      {"rope_backward.C2", "cos and sin have one shape, which broadcasts", rule_661}}},
    {"torchport.scaled_dot_product_attention.default", {rule_662}, {
      {"scaled_dot_product_attention.C1", "query, key and value are [B, H, L, D] or [B, L, D]", rule_663},
      {"scaled_dot_product_attention.C2", "batch and keys agree", rule_664},
      {"scaled_dot_product_attention.C3", "query and key have one width", rule_665},
      {"scaled_dot_product_attention.C4", "the query heads are a multiple of the key heads", rule_666},
      {"scaled_dot_product_attention.C5", "no size is 0", rule_667},
      {"scaled_dot_product_attention.C6", "the mask broadcasts to the scores", rule_668},
      {"scaled_dot_product_attention.C7", "a causal call has no other mask", rule_669},
      {"scaled_dot_product_attention.C8", "one dropout factor for each score", rule_670}}},
    {"torchport.scaled_dot_product_attention_backward.default", {rule_161, rule_169, rule_170}, {
      {"scaled_dot_product_attention_backward.C1", "query, key and value are [B, H, L, D] or [B, L, D]", rule_663},
      {"scaled_dot_product_attention_backward.C2", "batch and keys agree", rule_664},
      {"scaled_dot_product_attention_backward.C3", "query and key have one width", rule_665},
      {"scaled_dot_product_attention_backward.C4", "the query heads are a multiple of the key heads", rule_666},
      {"scaled_dot_product_attention_backward.C5", "no size is 0", rule_667},
      {"scaled_dot_product_attention_backward.C6", "the mask broadcasts to the scores", rule_668},
      {"scaled_dot_product_attention_backward.C7", "a causal call has no other mask", rule_669},
      {"scaled_dot_product_attention_backward.C8", "one dropout factor for each score", rule_670},
      {"scaled_dot_product_attention_backward.C9", "the gradient has the shape of the result", rule_671}}},
    {"torchport.scatter_amax.default", {rule_0}, {
      {"scatter_amax.C1", "the dimension exists", rule_137},
      {"scatter_amax.C2", "index and operand have one rank; a scalar counts as a vector", rule_342},
      {"scatter_amax.C3", "the index is not larger than the operand", rule_343},
      {"scatter_amax.C6", "there is a source element for every index", rule_533},
      {"scatter_amax.C8", "complex numbers have no order", rule_672}}},
    {"torchport.scatter_amin.default", {rule_0}, {
      {"scatter_amin.C1", "the dimension exists", rule_137},
      {"scatter_amin.C2", "index and operand have one rank; a scalar counts as a vector", rule_342},
      {"scatter_amin.C3", "the index is not larger than the operand", rule_343},
      {"scatter_amin.C6", "there is a source element for every index", rule_533},
      {"scatter_amin.C8", "complex numbers have no order", rule_672}}},
    {"torchport.scatter_prod.default", {rule_0}, {
      {"scatter_prod.C1", "the dimension exists", rule_137},
      {"scatter_prod.C2", "index and operand have one rank; a scalar counts as a vector", rule_342},
      {"scatter_prod.C3", "the index is not larger than the operand", rule_343},
      {"scatter_prod.C6", "there is a source element for every index", rule_533}}},
    {"torchport.silu_and_mul.default", {rule_673}, {
      {"silu_and_mul.C1", "the last dimension has two halves", rule_674}}},
    {"torchport.softcap.default", {rule_30}, {
      {"softcap.C1", "the cap is positive", rule_675}}},
    {"torchport.swiglu.default", {rule_619}, {
      {"swiglu.C1", "gate and up have one shape", rule_620}}},
    {"torchport.swiglu_backward.default", {rule_619, rule_676}, {
      {"swiglu_backward.C1", "all operands have one shape", rule_677}}},
  };
  return all;
}

}  // namespace rules

/* The contract's entry for an operator by its qualified name; null where there is none. */
inline const Operator* find(std::string_view name) {
  static const std::unordered_map<std::string_view, const Operator*> index = [] {
    std::unordered_map<std::string_view, const Operator*> made;
    for (const Operator& entry : rules::operators()) made.emplace(entry.name, &entry);
    return made;
  }();
  auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

/* Shapes of the outputs of a call. Raises Error where the arguments do not fit. */
inline std::vector<Value> infer(std::string_view name, const Arguments& arguments) {
  const Operator* entry = find(name);
  if (entry == nullptr) throw Error("the operator is not in the contract: " + std::string(name));
  std::vector<Value> outputs;
  for (auto rule : entry->shapes) outputs.push_back(rule(arguments));
  return outputs;
}

/* The first constraint that a call does not keep; null where it keeps them all. */
inline const Condition* violated(std::string_view name, const Arguments& arguments) {
  const Operator* entry = find(name);
  if (entry == nullptr) throw Error("the operator is not in the contract: " + std::string(name));
  for (const Condition& condition : entry->constraints) {
    bool holds = false;
    try {
      holds = static_cast<bool>(condition.holds(arguments));
    } catch (const Error&) {
    }
    if (!holds) return &condition;
  }
  return nullptr;
}

}  // namespace torchport::shape

#endif
