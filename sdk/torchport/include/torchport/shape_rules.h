/* Generated from opset 1.0 (4c760a56b30364a9); do not edit.
 *
 * Shape rules and constraints of 928 operators:
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
Value functions_scaled_each(Value v_shapes, Value v_dim, Value v_times, Value v_parts);
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
Value indexing_edges(Value v_bins);
Value indexing_index(Value v_x, Value v_indices, Value v_dtypes);
Value indexing_indexes(Value v_x, Value v_indices, Value v_dtypes);
Value indexing_join(Value v_a, Value v_b);
Value indexing_same_rank(Value v_shapes);
Value indexing_spans(Value v_edges);
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

// Each shape of a list with the size of one dimension times ``times``, divided by ``parts``.
inline Value functions_scaled_each([[maybe_unused]] Value v_shapes, [[maybe_unused]] Value v_dim, [[maybe_unused]] Value v_times, [[maybe_unused]] Value v_parts) {
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_shapes; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_x = item0_; out_.push_back(functions_replace(v_x, v_dim, floordiv((functions_size(v_x, v_dim) * v_times), v_parts))); } return Value(out_); }();
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
  [[maybe_unused]] Value v_at, v_columns, v_x;
  v_at = wrap(v_dim, length(at(v_shapes, Value(0LL))));
  v_columns = Value(0LL);
  {
    const Value all_ = v_shapes;
    for (const Value& item_ : all_.items()) {
      v_x = item_;
      if (truth((length(v_x) <= v_at))) {
        throw Error("the dimension does not exist");
      }
      v_columns = (v_columns + ((-floordiv((-at(v_x, v_at)), v_chunks)) * product(slice(v_x, (v_at + Value(1LL)), Value()))));
    }
  }
  return (slice(at(v_shapes, Value(0LL)), Value(), v_at) + Value::list({v_chunks, v_columns}));
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

// Shapes of the edges of each number of bins: one more.
inline Value indexing_edges([[maybe_unused]] Value v_bins) {
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_bins; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_n = item0_; out_.push_back(Value::list({(v_n + Value(1LL))})); } return Value(out_); }();
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

// Whether all shapes of a list have as many dimensions.
inline Value indexing_same_rank([[maybe_unused]] Value v_shapes) {
  return all([&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_shapes; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_x = item0_; out_.push_back((length(v_x) == length(at(v_shapes, Value(0LL))))); } return Value(out_); }());
}

// Number of bins between the edges of each coordinate.
inline Value indexing_spans([[maybe_unused]] Value v_edges) {
  return [&]() -> Value { std::vector<Value> out_; const Value seq0_ = v_edges; for (const Value& item0_ : seq0_.items()) { [[maybe_unused]] const Value v_edge = item0_; out_.push_back((at(v_edge, Value(0LL)) - Value(1LL))); } return Value(out_); }();
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


inline Value rule_0(const Arguments& a) { (void)a; return functions_replace(a["input"], Value(0LL), (at(a["input"], Value(0LL)) * a["group_size"])); }
inline Value rule_1(const Arguments& a) { (void)a; return (functions_rank(a["input"]) > Value(0LL)); }
inline Value rule_2(const Arguments& a) { (void)a; return (a["group_size"] > Value(0LL)); }
inline Value rule_3(const Arguments& a) { (void)a; return functions_scaled_each(a["inputs"], Value(0LL), a["group_size"], Value(1LL)); }
inline Value rule_4(const Arguments& a) { (void)a; return (length(a["inputs"]) > Value(0LL)); }
inline Value rule_5(const Arguments& a) { (void)a; return a["input"]; }
inline Value rule_6(const Arguments& a) { (void)a; return Value(truth((a["reduce_op"] == Value("sum"))) || truth((a["reduce_op"] == Value("avg"))) || truth((a["reduce_op"] == Value("max"))) || truth((a["reduce_op"] == Value("min"))) || truth((a["reduce_op"] == Value("product")))); }
inline Value rule_7(const Arguments& a) { (void)a; return Value(truth((a["reduce_op"] != Value("avg"))) || truth(predicates_floating(a.dtype("input")))); }
inline Value rule_8(const Arguments& a) { (void)a; return a["inputs"]; }
inline Value rule_9(const Arguments& a) { (void)a; return Value(truth((a["reduce_op"] != Value("avg"))) || truth(predicates_floating(a.dtype("inputs")))); }
inline Value rule_10(const Arguments& a) { (void)a; return (Value::list({total(a["output_split_sizes"])}) + slice(a["input"], Value(1LL), Value())); }
inline Value rule_11(const Arguments& a) { (void)a; return Value(truth((length(a["output_split_sizes"]) > Value(0LL))) && truth((length(a["output_split_sizes"]) == length(a["input_split_sizes"])))); }
inline Value rule_12(const Arguments& a) { (void)a; return (total(a["input_split_sizes"]) == at(a["input"], Value(0LL))); }
inline Value rule_13(const Arguments& a) { (void)a; return (a["src"] >= Value(0LL)); }
inline Value rule_14(const Arguments& a) { (void)a; return functions_replace(a["input"], Value(0LL), floordiv(at(a["input"], Value(0LL)), a["group_size"])); }
inline Value rule_15(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth(((at(a["input"], Value(0LL)) % a["group_size"]) == Value(0LL)))); }
inline Value rule_16(const Arguments& a) { (void)a; return functions_scaled_each(a["inputs"], Value(0LL), Value(1LL), a["group_size"]); }
inline Value rule_17(const Arguments& a) { (void)a; return a["tensor"]; }
inline Value rule_18(const Arguments& a) { (void)a; return a["self"]; }
inline Value rule_19(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["other"]})); }
inline Value rule_20(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL))) + a["output_size"]); }
inline Value rule_21(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(3LL))) || truth((functions_rank(a["self"]) == Value(4LL)))); }
inline Value rule_22(const Arguments& a) { (void)a; return (functions_numel(slice(a["self"], (functions_rank(a["self"]) - Value(2LL)), Value())) > Value(0LL)); }
inline Value rule_23(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["output_size"]) == Value(2LL))) && truth((fold_min(Value::list({a["output_size"]})) > Value(0LL)))); }
inline Value rule_24(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["grad_output"]) == functions_rank(a["self"]))) && truth((slice(a["grad_output"], Value(), (functions_rank(a["self"]) - Value(2LL))) == slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL)))))); }
inline Value rule_25(const Arguments& a) { (void)a; return (functions_numel(slice(a["grad_output"], (functions_rank(a["self"]) - Value(2LL)), Value())) > Value(0LL)); }
inline Value rule_26(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + a["output_size"]); }
inline Value rule_27(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(4LL))) || truth((functions_rank(a["self"]) == Value(5LL)))); }
inline Value rule_28(const Arguments& a) { (void)a; return (functions_numel(slice(a["self"], (functions_rank(a["self"]) - Value(3LL)), Value())) > Value(0LL)); }
inline Value rule_29(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["output_size"]) == Value(3LL))) && truth((fold_min(Value::list({a["output_size"]})) > Value(0LL)))); }
inline Value rule_30(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["grad_output"]) == functions_rank(a["self"]))) && truth((slice(a["grad_output"], Value(), (functions_rank(a["self"]) - Value(3LL))) == slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL)))))); }
inline Value rule_31(const Arguments& a) { (void)a; return (functions_numel(slice(a["grad_output"], (functions_rank(a["self"]) - Value(3LL)), Value())) > Value(0LL)); }
inline Value rule_32(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("other")); }
inline Value rule_33(const Arguments& a) { (void)a; return Value::list({at(a["mat1"], Value(0LL)), at(a["mat2"], Value(1LL))}); }
inline Value rule_34(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["mat1"]) == Value(2LL))) && truth((functions_rank(a["mat2"]) == Value(2LL)))); }
inline Value rule_35(const Arguments& a) { (void)a; return (at(a["mat1"], Value(1LL)) == at(a["mat2"], Value(0LL))); }
inline Value rule_36(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(1LL))) || truth((functions_rank(a["self"]) == Value(2LL)))); }
inline Value rule_37(const Arguments& a) { (void)a; return predicates_expandable(a["self"], Value::list({at(a["mat1"], Value(0LL)), at(a["mat2"], Value(1LL))})); }
inline Value rule_38(const Arguments& a) { (void)a; return Value(truth(predicates_floating(a.dtype("self"))) || !truth(a["use_gelu"])); }
inline Value rule_39(const Arguments& a) { (void)a; return functions_reduce(a["self"], Value(), Value(false)); }
inline Value rule_40(const Arguments& a) { (void)a; return (functions_numel(a["self"]) > Value(0LL)); }
inline Value rule_41(const Arguments& a) { (void)a; return functions_reduce(a["self"], a["dim"], a["keepdim"]); }
inline Value rule_42(const Arguments& a) { (void)a; return predicates_distinct(a["dim"], functions_rank(a["self"])); }
inline Value rule_43(const Arguments& a) { (void)a; return (functions_numel(functions_sizes(a["self"], a["dim"])) > Value(0LL)); }
inline Value rule_44(const Arguments& a) { (void)a; return a["found_inf"]; }
inline Value rule_45(const Arguments& a) { (void)a; return (length(a["self"]) > Value(0LL)); }
inline Value rule_46(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["found_inf"]) == Value(1LL))) && truth((functions_numel(a["inv_scale"]) == Value(1LL)))); }
inline Value rule_47(const Arguments& a) { (void)a; return a["growth_tracker"]; }
inline Value rule_48(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["self"]) == Value(1LL))) && truth((functions_numel(a["growth_tracker"]) == Value(1LL))) && truth((functions_numel(a["found_inf"]) == Value(1LL)))); }
inline Value rule_49(const Arguments& a) { (void)a; return (functions_numel(a["self"]) == Value(1LL)); }
inline Value rule_50(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["size"])) || truth((a["size"] == functions_shape(a["a"])))); }
inline Value rule_51(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || truth((a["dtype"] == a.dtype("a")))); }
inline Value rule_52(const Arguments& a) { (void)a; return Value::list({Value(0LL)}); }
inline Value rule_53(const Arguments& a) { (void)a; return (functions_rank(a["input"]) >= Value(2LL)); }
inline Value rule_54(const Arguments& a) { (void)a; return (functions_numel(a["input"]) > Value(0LL)); }
inline Value rule_55(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == slice(a["input"], Value(1LL), Value(2LL))))); }
inline Value rule_56(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == slice(a["input"], Value(1LL), Value(2LL))))); }
inline Value rule_57(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a.dtype("weight") == a.dtype("input"))) || truth((a.dtype("weight") == Value("float32")))); }
inline Value rule_58(const Arguments& a) { (void)a; return Value(truth(predicates_given(a["running_mean"])) && truth(predicates_given(a["running_var"]))); }
inline Value rule_59(const Arguments& a) { (void)a; return Value(truth((a["running_mean"] == slice(a["input"], Value(1LL), Value(2LL)))) && truth((a["running_var"] == a["running_mean"]))); }
inline Value rule_60(const Arguments& a) { (void)a; return slice(a["input"], Value(1LL), Value(2LL)); }
inline Value rule_61(const Arguments& a) { (void)a; return a["running_mean"]; }
inline Value rule_62(const Arguments& a) { (void)a; return a["running_var"]; }
inline Value rule_63(const Arguments& a) { (void)a; return ((truth((functions_numel(a["grad"]) == Value(0LL))) || truth((at(a["x1"], (-Value(1LL))) == Value(0LL)))) ? functions_shape(a["x1"]) : (indexing_broadcast(Value::list({slice(a["x1"], Value(), (-Value(2LL))), slice(a["x2"], Value(), (-Value(2LL)))})) + slice(a["x1"], (-Value(2LL)), Value()))); }
inline Value rule_64(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["x1"]) >= Value(2LL))) && truth((functions_rank(a["x2"]) >= Value(2LL))) && truth((at(a["x1"], (-Value(1LL))) == at(a["x2"], (-Value(1LL)))))); }
inline Value rule_65(const Arguments& a) { (void)a; return (a["p"] >= Value(0LL)); }
inline Value rule_66(const Arguments& a) { (void)a; return (a["grad"] == (indexing_broadcast(Value::list({slice(a["x1"], Value(), (-Value(2LL))), slice(a["x2"], Value(), (-Value(2LL)))})) + Value::list({at(a["x1"], (-Value(2LL))), at(a["x2"], (-Value(2LL)))}))); }
inline Value rule_67(const Arguments& a) { (void)a; return (a["cdist"] == a["grad"]); }
inline Value rule_68(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["x1"], Value(), (-Value(2LL))), slice(a["x2"], Value(), (-Value(2LL)))})) + Value::list({at(a["x1"], (-Value(2LL))), at(a["x2"], (-Value(2LL)))})); }
inline Value rule_69(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["compute_mode"])) || (truth((a["compute_mode"] >= Value(0LL))) && truth((a["compute_mode"] <= Value(2LL))))); }
inline Value rule_70(const Arguments& a) { (void)a; return matrices_is_square(a["A"]); }
inline Value rule_71(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) >= Value(2LL))) && truth((at(a["self"], (-Value(2LL))) == at(a["A"], (-Value(1LL)))))); }
inline Value rule_72(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (-Value(2LL))) == slice(a["A"], Value(), (-Value(2LL)))); }
inline Value rule_73(const Arguments& a) { (void)a; return indexing_chunk_cat(a["tensors"], a["dim"], a["num_chunks"]); }
inline Value rule_74(const Arguments& a) { (void)a; return (length(a["tensors"]) > Value(0LL)); }
inline Value rule_75(const Arguments& a) { (void)a; return (a["num_chunks"] > Value(0LL)); }
inline Value rule_76(const Arguments& a) { (void)a; return Value(truth((a["dim"] >= Value(0LL))) || truth(indexing_same_rank(a["tensors"]))); }
inline Value rule_77(const Arguments& a) { (void)a; return Value::list({floordiv(at(a["self"], Value(0LL)), Value(8LL)), floordiv((at(a["self"], Value(1LL)) * Value(2LL)), (a["innerKTiles"] * Value(16LL))), Value(32LL), floordiv(a["innerKTiles"], Value(2LL))}); }
inline Value rule_78(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) && truth(((at(a["self"], Value(0LL)) % Value(8LL)) == Value(0LL)))); }
inline Value rule_79(const Arguments& a) { (void)a; return Value(truth((a["innerKTiles"] == Value(2LL))) || truth((a["innerKTiles"] == Value(4LL))) || truth((a["innerKTiles"] == Value(8LL)))); }
inline Value rule_80(const Arguments& a) { (void)a; return (((at(a["self"], Value(1LL)) * Value(2LL)) % (a["innerKTiles"] * Value(16LL))) == Value(0LL)); }
inline Value rule_81(const Arguments& a) { (void)a; return functions_conv(a["input"], a["weight"], a["stride"], a["padding"], a["dilation"], a["transposed"], a["output_padding"], a["groups"]); }
inline Value rule_82(const Arguments& a) { (void)a; return Value(truth((Value(3LL) <= functions_rank(a["weight"]))) && truth((functions_rank(a["weight"]) <= Value(5LL))) && truth((functions_rank(a["input"]) == functions_rank(a["weight"])))); }
inline Value rule_83(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["stride"]) == Value(1LL))) || truth((functions_rank(a["stride"]) == (functions_rank(a["weight"]) - Value(2LL))))) && (truth((functions_rank(a["padding"]) == Value(1LL))) || truth((functions_rank(a["padding"]) == (functions_rank(a["weight"]) - Value(2LL))))) && (truth((functions_rank(a["dilation"]) == Value(1LL))) || truth((functions_rank(a["dilation"]) == (functions_rank(a["weight"]) - Value(2LL)))))); }
inline Value rule_84(const Arguments& a) { (void)a; return Value(truth((a["groups"] > Value(0LL))) && truth(((at(a["weight"], Value(0LL)) % a["groups"]) == Value(0LL)))); }
inline Value rule_85(const Arguments& a) { (void)a; return (at(a["input"], Value(1LL)) == (truth(a["transposed"]) ? at(a["weight"], Value(0LL)) : (at(a["weight"], Value(1LL)) * a["groups"]))); }
inline Value rule_86(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["weight"]) > Value(0LL))) && truth((fold_min(Value::list({slice(functions_conv(a["input"], a["weight"], a["stride"], a["padding"], a["dilation"], a["transposed"], a["output_padding"], a["groups"]), Value(2LL), Value())})) > Value(0LL)))); }
inline Value rule_87(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == Value::list({(truth(a["transposed"]) ? (at(a["weight"], Value(1LL)) * a["groups"]) : at(a["weight"], Value(0LL)))})))); }
inline Value rule_88(const Arguments& a) { (void)a; return Value(truth(predicates_floating(a.dtype("input"))) || truth((a.dtype("input") == Value("int64"))) || (!truth(a["transposed"]) && truth((fold_max(Value::list({a["dilation"]})) == Value(1LL))))); }
inline Value rule_89(const Arguments& a) { (void)a; return slice(a["log_probs"], Value(1LL), Value(2LL)); }
inline Value rule_90(const Arguments& a) { (void)a; return Value::list({at(a["log_probs"], Value(1LL)), at(a["log_probs"], Value(0LL)), ((Value(2LL) * fold_max(Value::list({a["target_lengths"]}))) + Value(1LL))}); }
inline Value rule_91(const Arguments& a) { (void)a; return (functions_rank(a["log_probs"]) == Value(3LL)); }
inline Value rule_92(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["targets"]) == Value(1LL))) || truth((functions_rank(a["targets"]) == Value(2LL)))); }
inline Value rule_93(const Arguments& a) { (void)a; return Value(truth((length(a["input_lengths"]) == at(a["log_probs"], Value(1LL)))) && truth((length(a["target_lengths"]) == at(a["log_probs"], Value(1LL)))) && truth((at(a["log_probs"], Value(1LL)) > Value(0LL)))); }
inline Value rule_94(const Arguments& a) { (void)a; return Value(truth((fold_max(Value::list({a["input_lengths"]})) <= at(a["log_probs"], Value(0LL)))) && truth((fold_min(Value::list({a["input_lengths"]})) > Value(0LL)))); }
inline Value rule_95(const Arguments& a) { (void)a; return Value(truth((fold_min(Value::list({a["target_lengths"]})) >= Value(0LL))) && truth((truth((functions_rank(a["targets"]) == Value(1LL))) ? (total(a["target_lengths"]) == at(a["targets"], Value(0LL))) : (fold_max(Value::list({a["target_lengths"]})) <= at(a["targets"], Value(1LL)))))); }
inline Value rule_96(const Arguments& a) { (void)a; return Value(truth((a["blank"] >= Value(0LL))) && truth((a["blank"] < at(a["log_probs"], Value(2LL))))); }
inline Value rule_97(const Arguments& a) { (void)a; return a["log_probs"]; }
inline Value rule_98(const Arguments& a) { (void)a; return Value(truth((a["grad"] == slice(a["log_probs"], Value(1LL), Value(2LL)))) && truth((a["neg_log_likelihood"] == a["grad"]))); }
inline Value rule_99(const Arguments& a) { (void)a; return (a["log_alpha"] == Value::list({at(a["log_probs"], Value(1LL)), at(a["log_probs"], Value(0LL)), ((Value(2LL) * fold_max(Value::list({a["target_lengths"]}))) + Value(1LL))})); }
inline Value rule_100(const Arguments& a) { (void)a; return a["x"]; }
inline Value rule_101(const Arguments& a) { (void)a; return Value(truth((a["x"] == a["alpha"])) && truth((a["x"] == a["total"]))); }
inline Value rule_102(const Arguments& a) { (void)a; return a["query"]; }
inline Value rule_103(const Arguments& a) { (void)a; return Value::list({at(a["query"], Value(0LL)), at(a["query"], Value(2LL)), (truth(a["compute_log_sumexp"]) ? (functions_ceil_div(at(a["query"], Value(1LL)), Value(32LL)) * Value(32LL)) : Value(0LL))}); }
inline Value rule_104(const Arguments& a) { (void)a; return Value::list({}); }
inline Value rule_105(const Arguments& a) { (void)a; return functions_absent(); }
inline Value rule_106(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["query"]) == Value(4LL))) && truth((functions_rank(a["key"]) == Value(4LL))) && truth((a["key"] == a["value"]))); }
inline Value rule_107(const Arguments& a) { (void)a; return Value(truth((at(a["query"], Value(0LL)) == at(a["key"], Value(0LL)))) && truth((at(a["query"], Value(3LL)) == at(a["key"], Value(3LL))))); }
inline Value rule_108(const Arguments& a) { (void)a; return (at(a["query"], Value(2LL)) == at(a["key"], Value(2LL))); }
inline Value rule_109(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["query"]) > Value(0LL))) && truth((functions_numel(a["key"]) > Value(0LL)))); }
inline Value rule_110(const Arguments& a) { (void)a; return Value(truth((a["dropout_p"] >= Value(0LL))) && truth((a["dropout_p"] < Value(1LL)))); }
inline Value rule_111(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth(predicates_expandable(a["bias"], Value::list({at(a["query"], Value(0LL)), at(a["query"], Value(2LL)), at(a["query"], Value(1LL)), at(a["key"], Value(1LL))})))); }
inline Value rule_112(const Arguments& a) { (void)a; return Value(truth((a["custom_mask_type"] == Value(0LL))) || truth((a["custom_mask_type"] == Value(1LL)))); }
inline Value rule_113(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["cu_seqlens_q"])) && !truth(predicates_given(a["cu_seqlens_k"])) && !truth(predicates_given(a["seqlen_k"]))); }
inline Value rule_114(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["window_size"]))); }
inline Value rule_115(const Arguments& a) { (void)a; return a["size"]; }
inline Value rule_116(const Arguments& a) { (void)a; return Value::list({(truth(a["include_last_offset"]) ? (at(a["offsets"], Value(0LL)) - Value(1LL)) : at(a["offsets"], Value(0LL))), at(a["weight"], Value(1LL))}); }
inline Value rule_117(const Arguments& a) { (void)a; return Value::list({functions_data_dependent(functions_numel(a["indices"]))}); }
inline Value rule_118(const Arguments& a) { (void)a; return Value::list({functions_data_dependent(functions_numel(a["offsets"]))}); }
inline Value rule_119(const Arguments& a) { (void)a; return (truth((a["mode"] == Value(2LL))) ? Value::list({functions_data_dependent(functions_numel(a["offsets"])), at(a["weight"], Value(1LL))}) : Value::list({functions_data_dependent(functions_numel(a["offsets"]))})); }
inline Value rule_120(const Arguments& a) { (void)a; return (functions_rank(a["weight"]) == Value(2LL)); }
inline Value rule_121(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["indices"]) == Value(1LL))) && truth((functions_rank(a["offsets"]) == Value(1LL)))); }
inline Value rule_122(const Arguments& a) { (void)a; return Value(!truth(a["sparse"])); }
inline Value rule_123(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["per_sample_weights"])) || truth((a["mode"] == Value(0LL)))); }
inline Value rule_124(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["per_sample_weights"])) || truth((a["per_sample_weights"] == a["indices"]))); }
inline Value rule_125(const Arguments& a) { (void)a; return (functions_numel(a["offsets"]) > Value(0LL)); }
inline Value rule_126(const Arguments& a) { (void)a; return Value(!truth(a["include_last_offset"]) || truth((at(a["offsets"], Value(0LL)) > Value(1LL))) || (truth((at(a["offsets"], Value(0LL)) == Value(1LL))) && truth((functions_numel(a["indices"]) == Value(0LL))))); }
inline Value rule_127(const Arguments& a) { (void)a; return Value::list({a["num_weights"], at(a["grad"], Value(1LL))}); }
inline Value rule_128(const Arguments& a) { (void)a; return (functions_rank(a["grad"]) == Value(2LL)); }
inline Value rule_129(const Arguments& a) { (void)a; return Value(truth((a["mode"] != Value(2LL))) || truth((a["maximum_indices"] == a["grad"]))); }
inline Value rule_130(const Arguments& a) { (void)a; return (functions_numel(a["bag_size"]) >= at(a["grad"], Value(0LL))); }
inline Value rule_131(const Arguments& a) { (void)a; return Value(!truth(a["scale_grad_by_freq"]) || truth((a["mode"] != Value(2LL)))); }
inline Value rule_132(const Arguments& a) { (void)a; return Value(truth((a["mode"] == Value(2LL))) || truth((a["offset2bag"] == a["indices"]))); }
inline Value rule_133(const Arguments& a) { (void)a; return a["indices"]; }
inline Value rule_134(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["grad"]) == Value(2LL))) && truth((functions_rank(a["weight"]) == Value(2LL)))); }
inline Value rule_135(const Arguments& a) { (void)a; return (functions_size(a["grad"], Value(1LL)) == functions_size(a["weight"], Value(1LL))); }
inline Value rule_136(const Arguments& a) { (void)a; return (a["mode"] == Value(0LL)); }
inline Value rule_137(const Arguments& a) { (void)a; return (a["quant_min"] <= a["quant_max"]); }
inline Value rule_138(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) && truth((a["axis"] >= Value(0LL))) && truth((a["axis"] < functions_rank(a["self"])))); }
inline Value rule_139(const Arguments& a) { (void)a; return Value(truth((a["scale"] == Value::list({functions_size(a["self"], a["axis"])}))) && truth((a["zero_point"] == a["scale"]))); }
inline Value rule_140(const Arguments& a) { (void)a; return a["scale"]; }
inline Value rule_141(const Arguments& a) { (void)a; return (a["grad"] == a["self"]); }
inline Value rule_142(const Arguments& a) { (void)a; return (a["quant_min"] < a["quant_max"]); }
inline Value rule_143(const Arguments& a) { (void)a; return (functions_rank(a["self"]) > Value(1LL)); }
inline Value rule_144(const Arguments& a) { (void)a; return Value(truth((a["scale"] == Value::list({Value(1LL)}))) && truth((a["zero_point"] == Value::list({Value(1LL)})))); }
inline Value rule_145(const Arguments& a) { (void)a; return Value::list({Value(1LL)}); }
inline Value rule_146(const Arguments& a) { (void)a; return (functions_numel(a["fake_quant_enabled"]) == Value(1LL)); }
inline Value rule_147(const Arguments& a) { (void)a; return Value(truth((a["normalization"] >= Value(0LL))) && truth((a["normalization"] <= Value(2LL)))); }
inline Value rule_148(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["self"]) > Value(0LL))) || truth((length(a["dim"]) == Value(0LL)))); }
inline Value rule_149(const Arguments& a) { (void)a; return functions_replace(a["self"], at(a["dim"], (-Value(1LL))), a["last_dim_size"]); }
inline Value rule_150(const Arguments& a) { (void)a; return Value(truth((length(a["dim"]) > Value(0LL))) && truth((a["last_dim_size"] >= Value(1LL))) && truth((functions_numel(a["self"]) > Value(0LL)))); }
inline Value rule_151(const Arguments& a) { (void)a; return (functions_size(a["self"], at(a["dim"], (-Value(1LL)))) == (floordiv(a["last_dim_size"], Value(2LL)) + Value(1LL))); }
inline Value rule_152(const Arguments& a) { (void)a; return (truth(a["onesided"]) ? functions_replace(a["self"], at(a["dim"], (-Value(1LL))), (floordiv(at(a["self"], at(a["dim"], (-Value(1LL)))), Value(2LL)) + Value(1LL))) : functions_shape(a["self"])); }
inline Value rule_153(const Arguments& a) { (void)a; return Value(truth((length(a["dim"]) > Value(0LL))) && truth((functions_numel(a["self"]) > Value(0LL)))); }
inline Value rule_154(const Arguments& a) { (void)a; return a["key"]; }
inline Value rule_155(const Arguments& a) { (void)a; return a["value"]; }
inline Value rule_156(const Arguments& a) { (void)a; return Value(truth((at(a["key"], Value(2LL)) > Value(0LL))) && truth(((at(a["query"], Value(2LL)) % at(a["key"], Value(2LL))) == Value(0LL)))); }
inline Value rule_157(const Arguments& a) { (void)a; return Value(!truth(a["is_causal"]) || truth((at(a["query"], Value(1LL)) == at(a["key"], Value(1LL))))); }
inline Value rule_158(const Arguments& a) { (void)a; return (a["grad_out"] == a["query"]); }
inline Value rule_159(const Arguments& a) { (void)a; return (a["out"] == a["query"]); }
inline Value rule_160(const Arguments& a) { (void)a; return (a["logsumexp"] == Value::list({at(a["query"], Value(0LL)), at(a["query"], Value(2LL)), at(a["query"], Value(1LL))})); }
inline Value rule_161(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["window_size_left"])) && !truth(predicates_given(a["window_size_right"]))); }
inline Value rule_162(const Arguments& a) { (void)a; return Value::list({at(a["query"], Value(0LL)), at(a["query"], Value(2LL)), at(a["query"], Value(1LL))}); }
inline Value rule_163(const Arguments& a) { (void)a; return Value::list({Value(2LL)}); }
inline Value rule_164(const Arguments& a) { (void)a; return Value(!truth(a["return_debug_mask"])); }
inline Value rule_165(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["cum_seq_q"])) && !truth(predicates_given(a["cum_seq_k"]))); }
inline Value rule_166(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["window_size_left"])) && !truth(predicates_given(a["window_size_right"])) && !truth(predicates_given(a["seqused_k"])) && !truth(predicates_given(a["alibi_slopes"])) && !truth(predicates_given(a["block_table"])) && !truth(predicates_given(a["num_splits"]))); }
inline Value rule_167(const Arguments& a) { (void)a; return functions_broadcast_each(Value::list({a["self"], a["other"]})); }
inline Value rule_168(const Arguments& a) { (void)a; return (length(a["other"]) == length(a["self"])); }
inline Value rule_169(const Arguments& a) { (void)a; return (length(a["scalars"]) == length(a["self"])); }
inline Value rule_170(const Arguments& a) { (void)a; return functions_broadcast_each(Value::list({a["self"], a["tensor1"], a["tensor2"]})); }
inline Value rule_171(const Arguments& a) { (void)a; return (length(a["tensor1"]) == length(a["self"])); }
inline Value rule_172(const Arguments& a) { (void)a; return (length(a["tensor2"]) == length(a["self"])); }
inline Value rule_173(const Arguments& a) { (void)a; return Value(!(truth(predicates_integral(a.dtype("tensor1"))) && truth(predicates_integral(a.dtype("tensor2"))))); }
inline Value rule_174(const Arguments& a) { (void)a; return Value(truth(predicates_whole(Value::list({a["value"]}))) || !truth(predicates_integral(a.dtype("self")))); }
inline Value rule_175(const Arguments& a) { (void)a; return Value(!truth(predicates_integral(a.dtype("self")))); }
inline Value rule_176(const Arguments& a) { (void)a; return Value(truth((length(a["tensor1"]) == length(a["self"]))) && truth((length(a["tensor2"]) == length(a["self"])))); }
inline Value rule_177(const Arguments& a) { (void)a; return (a["scalars"] == Value::list({length(a["self"])})); }
inline Value rule_178(const Arguments& a) { (void)a; return Value(truth(predicates_whole(Value::list({a["value"]}))) || !(truth(predicates_integral(a.dtype("self"))) && truth(predicates_integral(a.dtype("tensor1"))) && truth(predicates_integral(a.dtype("tensor2"))))); }
inline Value rule_179(const Arguments& a) { (void)a; return (length(a["src"]) == length(a["self"])); }
inline Value rule_180(const Arguments& a) { (void)a; return functions_broadcast_each(Value::list({a["self"], a["tensors1"], a["weights"]})); }
inline Value rule_181(const Arguments& a) { (void)a; return (length(a["tensors1"]) == length(a["self"])); }
inline Value rule_182(const Arguments& a) { (void)a; return (length(a["weights"]) == length(a["self"])); }
inline Value rule_183(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("tensors1")); }
inline Value rule_184(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("weights")); }
inline Value rule_185(const Arguments& a) { (void)a; return functions_broadcast_each(Value::list({a["self"], a["tensors1"]})); }
inline Value rule_186(const Arguments& a) { (void)a; return (length(a["weight"]) == length(a["self"])); }
inline Value rule_187(const Arguments& a) { (void)a; return functions_fill(length(a["self"]), Value::list({})); }
inline Value rule_188(const Arguments& a) { (void)a; return predicates_nonempty_each(a["self"]); }
inline Value rule_189(const Arguments& a) { (void)a; return functions_mm_each(a["self"], a["mat2"]); }
inline Value rule_190(const Arguments& a) { (void)a; return (length(a["mat2"]) == length(a["self"])); }
inline Value rule_191(const Arguments& a) { (void)a; return (functions_size_each(a["self"], Value(1LL)) == functions_size_each(a["mat2"], Value(0LL))); }
inline Value rule_192(const Arguments& a) { (void)a; return functions_broadcast_each(Value::list({a["self"], a["exponent"]})); }
inline Value rule_193(const Arguments& a) { (void)a; return (length(a["exponent"]) == length(a["self"])); }
inline Value rule_194(const Arguments& a) { (void)a; return a["exponent"]; }
inline Value rule_195(const Arguments& a) { (void)a; return (length(a["exponent"]) > Value(0LL)); }
inline Value rule_196(const Arguments& a) { (void)a; return a["dep_token"]; }
inline Value rule_197(const Arguments& a) { (void)a; return Value((!truth(predicates_given(a["min"])) || truth((a["size"] >= a["min"]))) && (!truth(predicates_given(a["max"])) || truth((a["size"] <= a["max"])))); }
inline Value rule_198(const Arguments& a) { (void)a; return Value(truth((a["size"] >= Value(0LL))) && (!truth(predicates_given(a["min"])) || truth((a["min"] >= Value(0LL))))); }
inline Value rule_199(const Arguments& a) { (void)a; return a["grads"]; }
inline Value rule_200(const Arguments& a) { (void)a; return a["state_sums"]; }
inline Value rule_201(const Arguments& a) { (void)a; return a["state_steps"]; }
inline Value rule_202(const Arguments& a) { (void)a; return (length(a["grads"]) == length(a["self"])); }
inline Value rule_203(const Arguments& a) { (void)a; return (length(a["state_sums"]) == length(a["self"])); }
inline Value rule_204(const Arguments& a) { (void)a; return (length(a["state_steps"]) == length(a["self"])); }
inline Value rule_205(const Arguments& a) { (void)a; return a["exp_avgs"]; }
inline Value rule_206(const Arguments& a) { (void)a; return a["exp_avg_sqs"]; }
inline Value rule_207(const Arguments& a) { (void)a; return a["max_exp_avg_sqs"]; }
inline Value rule_208(const Arguments& a) { (void)a; return (length(a["exp_avgs"]) == length(a["self"])); }
inline Value rule_209(const Arguments& a) { (void)a; return (length(a["exp_avg_sqs"]) == length(a["self"])); }
inline Value rule_210(const Arguments& a) { (void)a; return (a["max_exp_avg_sqs"] == (truth(a["amsgrad"]) ? a["self"] : Value::list({}))); }
inline Value rule_211(const Arguments& a) { (void)a; return Value(truth((a["p"] > Value(0LL))) && truth((a["p"] <= Value(1LL)))); }
inline Value rule_212(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["generator"]))); }
inline Value rule_213(const Arguments& a) { (void)a; return a["running_min"]; }
inline Value rule_214(const Arguments& a) { (void)a; return a["running_max"]; }
inline Value rule_215(const Arguments& a) { (void)a; return a["zero_point"]; }
inline Value rule_216(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) && truth((functions_numel(a["self"]) > Value(0LL)))); }
inline Value rule_217(const Arguments& a) { (void)a; return predicates_in_range(a["ch_axis"], functions_rank(a["self"])); }
inline Value rule_218(const Arguments& a) { (void)a; return Value(!truth(a["per_row_fake_quant"]) || truth((functions_rank(a["self"]) > Value(1LL)))); }
inline Value rule_219(const Arguments& a) { (void)a; return Value(truth((a["running_min"] == (truth(a["per_row_fake_quant"]) ? Value::list({functions_size(a["self"], a["ch_axis"])}) : Value::list({Value(1LL)})))) && truth((a["running_max"] == a["running_min"])) && truth((a["scale"] == a["running_min"])) && truth((a["zero_point"] == a["running_min"]))); }
inline Value rule_220(const Arguments& a) { (void)a; return (slice(a["input"], Value(), (functions_rank(a["input"]) - functions_rank(a["normalized_shape"]))) + functions_fill(functions_rank(a["normalized_shape"]), Value(1LL))); }
inline Value rule_221(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["normalized_shape"]) > Value(0LL))) && truth((functions_rank(a["input"]) >= functions_rank(a["normalized_shape"]))) && truth((slice(a["input"], (functions_rank(a["input"]) - functions_rank(a["normalized_shape"])), Value()) == a["normalized_shape"]))); }
inline Value rule_222(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == a["normalized_shape"]))); }
inline Value rule_223(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(0LL))) ? a["input"] : functions_absent()); }
inline Value rule_224(const Arguments& a) { (void)a; return ((truth(at(a["output_mask"], Value(1LL))) && truth(predicates_given(a["weight"]))) ? a["weight"] : functions_absent()); }
inline Value rule_225(const Arguments& a) { (void)a; return (a["grad_out"] == a["input"]); }
inline Value rule_226(const Arguments& a) { (void)a; return (a["rstd"] == (slice(a["input"], Value(), (functions_rank(a["input"]) - functions_rank(a["normalized_shape"]))) + functions_fill(functions_rank(a["normalized_shape"]), Value(1LL)))); }
inline Value rule_227(const Arguments& a) { (void)a; return a["momentum_buffer_list"]; }
inline Value rule_228(const Arguments& a) { (void)a; return (a["momentum_buffer_list"] == (truth((a["momentum"] != Value(0LL))) ? a["self"] : Value::list({}))); }
inline Value rule_229(const Arguments& a) { (void)a; return ((truth((functions_rank(a["self"]) == Value(3LL))) && truth((functions_rank(a["mat2"]) == Value(3LL)))) ? Value::list({at(a["self"], Value(0LL)), at(a["self"], Value(1LL)), at(a["mat2"], Value(2LL))}) : ((truth((functions_rank(a["self"]) == Value(2LL))) && truth((functions_rank(a["mat2"]) == Value(2LL)))) ? Value::list({at(a["offs"], Value(0LL)), at(a["self"], Value(0LL)), at(a["mat2"], Value(1LL))}) : (truth((functions_rank(a["self"]) == Value(2LL))) ? Value::list({at(a["self"], Value(0LL)), at(a["mat2"], Value(2LL))}) : Value::list({at(a["self"], Value(1LL)), at(a["mat2"], Value(1LL))})))); }
inline Value rule_230(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["self"]) == Value(2LL))) || truth((functions_rank(a["self"]) == Value(3LL)))) && (truth((functions_rank(a["mat2"]) == Value(2LL))) || truth((functions_rank(a["mat2"]) == Value(3LL))))); }
inline Value rule_231(const Arguments& a) { (void)a; return (at(a["self"], (-Value(1LL))) == at(a["mat2"], (-Value(2LL)))); }
inline Value rule_232(const Arguments& a) { (void)a; return (predicates_given(a["offs"]) == Value(truth((functions_rank(a["self"]) == Value(2LL))) || truth((functions_rank(a["mat2"]) == Value(2LL))))); }
inline Value rule_233(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) || truth((functions_rank(a["mat2"]) == Value(2LL))) || truth((at(a["self"], Value(0LL)) == at(a["mat2"], Value(0LL))))); }
inline Value rule_234(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["offs"])) || truth((functions_rank(a["offs"]) == Value(1LL)))); }
inline Value rule_235(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) || !truth(predicates_given(a["offs"])) || truth((a["offs"] == Value::list({at(a["self"], Value(0LL))})))); }
inline Value rule_236(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["mat2"]) == Value(2LL))) || !truth(predicates_given(a["offs"])) || truth((a["offs"] == Value::list({at(a["mat2"], Value(0LL))})))); }
inline Value rule_237(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"]))); }
inline Value rule_238(const Arguments& a) { (void)a; return indexing_edges(a["bins"]); }
inline Value rule_239(const Arguments& a) { (void)a; return (functions_rank(a["self"]) >= Value(2LL)); }
inline Value rule_240(const Arguments& a) { (void)a; return (functions_size(a["self"], (-Value(1LL))) == length(a["bins"])); }
inline Value rule_241(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == slice(a["self"], Value(), (-Value(1LL)))))); }
inline Value rule_242(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["range"])) || truth((length(a["range"]) == (Value(2LL) * length(a["bins"]))))); }
inline Value rule_243(const Arguments& a) { (void)a; return a["bins"]; }
inline Value rule_244(const Arguments& a) { (void)a; return indexing_spans(a["bins"]); }
inline Value rule_245(const Arguments& a) { (void)a; return indexing_indexes(a["self"], a["indices"], a.dtype("indices")); }
inline Value rule_246(const Arguments& a) { (void)a; return predicates_expandable(a["values"], indexing_index(a["self"], a["indices"], a.dtype("indices"))); }
inline Value rule_247(const Arguments& a) { (void)a; return Value::list({at(a["self"], Value(0LL)), at(a["mat2"], Value(1LL))}); }
inline Value rule_248(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) && truth((functions_rank(a["mat2"]) == Value(2LL))) && truth((at(a["self"], Value(1LL)) == at(a["mat2"], Value(0LL))))); }
inline Value rule_249(const Arguments& a) { (void)a; return slice(a["A"], Value(), (-Value(2LL))); }
inline Value rule_250(const Arguments& a) { (void)a; return a["A"]; }
inline Value rule_251(const Arguments& a) { (void)a; return slice(a["A"], Value(), (-Value(1LL))); }
inline Value rule_252(const Arguments& a) { (void)a; return (truth(a["compute_v"]) ? a["A"] : Value::list({Value(0LL)})); }
inline Value rule_253(const Arguments& a) { (void)a; return Value(truth((a["UPLO"] == Value("L"))) || truth((a["UPLO"] == Value("U"))) || truth((a["UPLO"] == Value("l"))) || truth((a["UPLO"] == Value("u")))); }
inline Value rule_254(const Arguments& a) { (void)a; return slice(a["self"], Value(), (-Value(1LL))); }
inline Value rule_255(const Arguments& a) { (void)a; return matrices_is_square(a["self"]); }
inline Value rule_256(const Arguments& a) { (void)a; return (truth(matrices_is_vector_beside(a["B"], a["A"])) ? (indexing_broadcast(Value::list({slice(a["A"], Value(), (-Value(2LL))), slice(a["B"], Value(), (-Value(1LL)))})) + Value::list({at(a["A"], (-Value(1LL)))})) : (indexing_broadcast(Value::list({slice(a["A"], Value(), (-Value(2LL))), slice(a["B"], Value(), (-Value(2LL)))})) + slice(a["B"], (-Value(2LL)), Value()))); }
inline Value rule_257(const Arguments& a) { (void)a; return (truth(matrices_is_vector_beside(a["B"], a["A"])) ? Value(truth(a["left"]) && truth((at(a["B"], (-Value(1LL))) == at(a["A"], (-Value(1LL)))))) : ((truth(a["left"]) ? at(a["B"], (-Value(2LL))) : at(a["B"], (-Value(1LL)))) == at(a["A"], (-Value(1LL))))); }
inline Value rule_258(const Arguments& a) { (void)a; return (!truth(a["compute_uv"]) ? Value::list({Value(0LL)}) : (slice(a["A"], Value(), (-Value(1LL))) + Value::list({(truth(a["full_matrices"]) ? at(a["A"], (-Value(2LL))) : matrices_shorter_side(a["A"]))}))); }
inline Value rule_259(const Arguments& a) { (void)a; return (slice(a["A"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["A"])})); }
inline Value rule_260(const Arguments& a) { (void)a; return (!truth(a["compute_uv"]) ? Value::list({Value(0LL)}) : (slice(a["A"], Value(), (-Value(2LL))) + Value::list({(truth(a["full_matrices"]) ? at(a["A"], (-Value(1LL))) : matrices_shorter_side(a["A"])), at(a["A"], (-Value(1LL)))}))); }
inline Value rule_261(const Arguments& a) { (void)a; return (functions_rank(a["A"]) >= Value(2LL)); }
inline Value rule_262(const Arguments& a) { (void)a; return predicates_in_range(a["dim"], functions_rank(a["self"])); }
inline Value rule_263(const Arguments& a) { (void)a; return Value(!truth(a["half_to_float"]) || truth((a.dtype("self") == Value("float16"))) || truth((a.dtype("self") == Value("bfloat16")))); }
inline Value rule_264(const Arguments& a) { (void)a; return a["output"]; }
inline Value rule_265(const Arguments& a) { (void)a; return predicates_in_range(a["dim"], functions_rank(a["output"])); }
inline Value rule_266(const Arguments& a) { (void)a; return (a["grad_output"] == a["output"]); }
inline Value rule_267(const Arguments& a) { (void)a; return (a["self"] == a["mask"]); }
inline Value rule_268(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dim"])) || truth(predicates_in_range(a["dim"], functions_rank(a["self"])))); }
inline Value rule_269(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["mask_type"])) || (truth((Value(0LL) <= a["mask_type"])) && truth((a["mask_type"] <= Value(2LL))))); }
inline Value rule_270(const Arguments& a) { (void)a; return (a["mask"] == (truth((a["mask_type"] == Value(0LL))) ? Value::list({at(a["self"], Value(2LL)), at(a["self"], Value(3LL))}) : (truth((a["mask_type"] == Value(1LL))) ? Value::list({at(a["self"], Value(0LL)), at(a["self"], Value(3LL))}) : a["self"]))); }
inline Value rule_271(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["mask_type"])) || truth((a["mask_type"] == Value(2LL))) || truth((functions_rank(a["self"]) == Value(4LL)))); }
inline Value rule_272(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dim"])) || truth(predicates_in_range(a["dim"], functions_rank(a["output"])))); }
inline Value rule_273(const Arguments& a) { (void)a; return Value(truth((a["grad_output"] == a["output"])) && truth((a["mask"] == a["output"]))); }
inline Value rule_274(const Arguments& a) { (void)a; return a["training"]; }
inline Value rule_275(const Arguments& a) { (void)a; return (truth(a["training"]) ? slice(a["input"], Value(1LL), Value(2LL)) : Value::list({Value(0LL)})); }
inline Value rule_276(const Arguments& a) { (void)a; return (slice(a["self"], Value(), a["self_num_batch_dims"]) + a["other"]); }
inline Value rule_277(const Arguments& a) { (void)a; return Value(truth((a["self_num_batch_dims"] >= Value(0LL))) && truth((a["self_num_batch_dims"] <= functions_rank(a["self"])))); }
inline Value rule_278(const Arguments& a) { (void)a; return (functions_rank(a["self"]) == Value(2LL)); }
inline Value rule_279(const Arguments& a) { (void)a; return Value(truth((at(a["self"], Value(0LL)) > Value(0LL))) && truth((at(a["self"], Value(1LL)) > Value(0LL)))); }
inline Value rule_280(const Arguments& a) { (void)a; return Value(truth((a["grad"] == Value::list({floordiv((at(a["self"], Value(0LL)) * (at(a["self"], Value(0LL)) - Value(1LL))), Value(2LL))}))) && truth((a["pdist"] == a["grad"]))); }
inline Value rule_281(const Arguments& a) { (void)a; return Value::list({floordiv((at(a["self"], Value(0LL)) * (at(a["self"], Value(0LL)) - Value(1LL))), Value(2LL))}); }
inline Value rule_282(const Arguments& a) { (void)a; return predicates_expandable(a["weight"], a["self"]); }
inline Value rule_283(const Arguments& a) { (void)a; return (a["grad_output"] == a["self"]); }
inline Value rule_284(const Arguments& a) { (void)a; return (functions_numel(a["self"]) == functions_numel(a["size"])); }
inline Value rule_285(const Arguments& a) { (void)a; return (functions_rank(a["size"]) == functions_rank(a["stride"])); }
inline Value rule_286(const Arguments& a) { (void)a; return functions_view(a["self"], a["size"]); }
inline Value rule_287(const Arguments& a) { (void)a; return (functions_rank(a["self"]) > Value(0LL)); }
inline Value rule_288(const Arguments& a) { (void)a; return (slice(a["query"], Value(), Value(3LL)) + Value::list({Value(1LL)})); }
inline Value rule_289(const Arguments& a) { (void)a; return Value(truth((at(a["key"], Value(1LL)) > Value(0LL))) && truth(((at(a["query"], Value(1LL)) % at(a["key"], Value(1LL))) == Value(0LL)))); }
inline Value rule_290(const Arguments& a) { (void)a; return Value(!truth(a["is_causal"]) || truth((at(a["query"], Value(2LL)) == at(a["key"], Value(2LL))))); }
inline Value rule_291(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["attn_bias"])) || truth(predicates_expandable(a["attn_bias"], Value::list({at(a["query"], Value(0LL)), at(a["query"], Value(1LL)), at(a["query"], Value(2LL)), at(a["key"], Value(2LL))})))); }
inline Value rule_292(const Arguments& a) { (void)a; return a["compute_log_sumexp"]; }
inline Value rule_293(const Arguments& a) { (void)a; return (a["logsumexp"] == (slice(a["query"], Value(), Value(3LL)) + Value::list({Value(1LL)}))); }
inline Value rule_294(const Arguments& a) { (void)a; return (truth(a["compute_log_sumexp"]) ? Value::list({at(a["query"], Value(0LL)), at(a["query"], Value(1LL)), (functions_ceil_div(at(a["query"], Value(2LL)), Value(32LL)) * Value(32LL))}) : Value::list({at(a["query"], Value(0LL)), at(a["query"], Value(1LL)), Value(0LL)})); }
inline Value rule_295(const Arguments& a) { (void)a; return (at(a["query"], Value(1LL)) == at(a["key"], Value(1LL))); }
inline Value rule_296(const Arguments& a) { (void)a; return ((truth(predicates_given(a["attn_bias"])) && truth(at(a["grad_input_mask"], Value(3LL)))) ? a["attn_bias"] : functions_absent()); }
inline Value rule_297(const Arguments& a) { (void)a; return (a["grad_out_"] == a["query"]); }
inline Value rule_298(const Arguments& a) { (void)a; return (a["logsumexp"] == Value::list({at(a["query"], Value(0LL)), at(a["query"], Value(1LL)), (functions_ceil_div(at(a["query"], Value(2LL)), Value(32LL)) * Value(32LL))})); }
inline Value rule_299(const Arguments& a) { (void)a; return slice(a["query"], Value(), Value(3LL)); }
inline Value rule_300(const Arguments& a) { (void)a; return (a["logsumexp"] == slice(a["query"], Value(), Value(3LL))); }
inline Value rule_301(const Arguments& a) { (void)a; return (a["dropout_p"] == Value(0LL)); }
inline Value rule_302(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["attn_mask"])) || ((truth((functions_rank(a["attn_mask"]) == Value(2LL))) || truth((functions_rank(a["attn_mask"]) == Value(4LL)))) && truth(predicates_expandable(a["attn_mask"], Value::list({at(a["query"], Value(0LL)), at(a["query"], Value(1LL)), at(a["query"], Value(2LL)), at(a["key"], Value(2LL))}))))); }
inline Value rule_303(const Arguments& a) { (void)a; return Value(truth((a["grad_out"] == a["query"])) && truth((a["out"] == a["query"]))); }
inline Value rule_304(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["out_dtype"])) || truth((a["out_dtype"] == Value("bfloat16")))); }
inline Value rule_305(const Arguments& a) { (void)a; return Value(truth((a["scale_a"] == ((truth((functions_rank(a["self"]) == Value(2LL))) && truth((functions_rank(a["mat2"]) == Value(2LL)))) ? Value::list({(at(a["offs"], Value(0LL)) * at(a["self"], Value(0LL)))}) : slice(a["self"], Value(), (-Value(1LL)))))) && truth((a["scale_b"] == ((truth((functions_rank(a["self"]) == Value(2LL))) && truth((functions_rank(a["mat2"]) == Value(2LL)))) ? Value::list({(at(a["offs"], Value(0LL)) * at(a["mat2"], Value(1LL)))}) : (truth((functions_rank(a["mat2"]) == Value(2LL))) ? Value::list({at(a["mat2"], Value(1LL))}) : Value::list({at(a["mat2"], Value(0LL)), at(a["mat2"], Value(2LL))})))))); }
inline Value rule_306(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["scale_result"]))); }
inline Value rule_307(const Arguments& a) { (void)a; return Value(truth((a["recipe_a"] == Value::list({Value(1LL)}))) && truth((a["recipe_b"] == Value::list({Value(1LL)})))); }
inline Value rule_308(const Arguments& a) { (void)a; return Value(truth((length(a["scale_a"]) > Value(0LL))) && truth((length(a["scale_b"]) > Value(0LL)))); }
inline Value rule_309(const Arguments& a) { (void)a; return (length(a["contraction_dim"]) == Value(0LL)); }
inline Value rule_310(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == Value::list({at(a["mat2"], Value(1LL))})))); }
inline Value rule_311(const Arguments& a) { (void)a; return Value((truth((functions_numel(a["scale_a"]) == Value(1LL))) && truth((functions_numel(a["scale_b"]) == Value(1LL)))) || (truth((a["scale_a"] == Value::list({at(a["self"], Value(0LL)), Value(1LL)}))) && truth((a["scale_b"] == Value::list({Value(1LL), at(a["mat2"], Value(1LL))}))))); }
inline Value rule_312(const Arguments& a) { (void)a; return Value(truth((length(a["scale_a"]) > Value(0LL))) && truth((length(a["scale_a"]) <= Value(2LL))) && truth((length(a["scale_b"]) == length(a["scale_a"])))); }
inline Value rule_313(const Arguments& a) { (void)a; return Value(truth((length(a["recipe_a"]) == length(a["scale_a"]))) && truth((length(a["recipe_b"]) == length(a["scale_b"])))); }
inline Value rule_314(const Arguments& a) { (void)a; return Value(truth((fold_min(Value::list({a["recipe_a"]})) >= Value(0LL))) && truth((fold_max(Value::list({a["recipe_a"]})) <= Value(5LL))) && truth((fold_min(Value::list({a["recipe_b"]})) >= Value(0LL))) && truth((fold_max(Value::list({a["recipe_b"]})) <= Value(5LL)))); }
inline Value rule_315(const Arguments& a) { (void)a; return Value((truth((fold_min(Value::list({a["recipe_a"]})) > Value(1LL))) || truth((a.dtype("scale_a") == Value("float32")))) && (truth((fold_min(Value::list({a["recipe_b"]})) > Value(1LL))) || truth((a.dtype("scale_b") == Value("float32"))))); }
inline Value rule_316(const Arguments& a) { (void)a; return a["data"]; }
inline Value rule_317(const Arguments& a) { (void)a; return Value(truth((a["reduce"] == Value("sum"))) || truth((a["reduce"] == Value("mean"))) || truth((a["reduce"] == Value("max"))) || truth((a["reduce"] == Value("min"))) || truth((a["reduce"] == Value("prod")))); }
inline Value rule_318(const Arguments& a) { (void)a; return Value(truth(predicates_given(a["lengths"])) || truth(predicates_given(a["offsets"]))); }
inline Value rule_319(const Arguments& a) { (void)a; return Value(truth((Value(0LL) <= a["axis"])) && truth((a["axis"] < functions_rank(a["data"])))); }
inline Value rule_320(const Arguments& a) { (void)a; return ((truth(predicates_given(a["offsets"])) ? slice(a["offsets"], Value(), (-Value(1LL))) : slice(a["lengths"], Value(), (-Value(1LL)))) == slice(a["data"], Value(), a["axis"])); }
inline Value rule_321(const Arguments& a) { (void)a; return Value(truth((a["grad"] == functions_replace(a["data"], a["axis"], (truth(predicates_given(a["offsets"])) ? (functions_size(a["offsets"], (-Value(1LL))) - Value(1LL)) : functions_size(a["lengths"], (-Value(1LL))))))) && truth((a["output"] == functions_replace(a["data"], a["axis"], (truth(predicates_given(a["offsets"])) ? (functions_size(a["offsets"], (-Value(1LL))) - Value(1LL)) : functions_size(a["lengths"], (-Value(1LL)))))))); }
inline Value rule_322(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(0LL))) ? a["self"] : functions_absent()); }
inline Value rule_323(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(1LL))) ? a["weight"] : functions_absent()); }
inline Value rule_324(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(2LL))) ? Value::list({at(a["weight"], Value(0LL))}) : functions_absent()); }
inline Value rule_325(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(4LL))) && truth((functions_rank(a["weight"]) == Value(4LL)))); }
inline Value rule_326(const Arguments& a) { (void)a; return (a["kernel_size"] == slice(a["weight"], Value(2LL), Value())); }
inline Value rule_327(const Arguments& a) { (void)a; return (a["grad_output"] == functions_conv(a["self"], a["weight"], a["stride"], a["padding"], Value(1LL), Value(false), Value(0LL), Value(1LL))); }
inline Value rule_328(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["grad_output"]) > Value(0LL))) && truth((functions_numel(a["weight"]) > Value(0LL)))); }
inline Value rule_329(const Arguments& a) { (void)a; return functions_conv(a["self"], a["weight"], a["stride"], a["padding"], Value(1LL), Value(false), Value(0LL), Value(1LL)); }
inline Value rule_330(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["weight"]) == Value(4LL))) && (truth((functions_rank(a["self"]) == Value(4LL))) || truth((functions_rank(a["self"]) == Value(3LL))))); }
inline Value rule_331(const Arguments& a) { (void)a; return (functions_size(a["self"], (-Value(3LL))) == at(a["weight"], Value(1LL))); }
inline Value rule_332(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == Value::list({at(a["weight"], Value(0LL))})))); }
inline Value rule_333(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["weight"]) > Value(0LL))) && truth((functions_numel(a["self"]) > Value(0LL))) && truth((fold_min(Value::list({slice(functions_conv(a["self"], a["weight"], a["stride"], a["padding"], Value(1LL), Value(false), Value(0LL), Value(1LL)), (functions_rank(a["self"]) - Value(2LL)), Value())})) > Value(0LL)))); }
inline Value rule_334(const Arguments& a) { (void)a; return functions_stack(a["tensors"], a["dim"]); }
inline Value rule_335(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["output"]})); }
inline Value rule_336(const Arguments& a) { (void)a; return a["cx"]; }
inline Value rule_337(const Arguments& a) { (void)a; return a["input_gates"]; }
inline Value rule_338(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["cx"]) == Value(2LL))) && truth((a["input_gates"] == Value::list({at(a["cx"], Value(0LL)), (Value(4LL) * at(a["cx"], Value(1LL)))}))) && truth((a["hidden_gates"] == a["input_gates"]))); }
inline Value rule_339(const Arguments& a) { (void)a; return Value(truth((predicates_given(a["input_bias"]) == predicates_given(a["hidden_bias"]))) && (!truth(predicates_given(a["input_bias"])) || (truth((a["input_bias"] == Value::list({(Value(4LL) * at(a["cx"], Value(1LL)))}))) && truth((a["hidden_bias"] == Value::list({(Value(4LL) * at(a["cx"], Value(1LL)))})))))); }
inline Value rule_340(const Arguments& a) { (void)a; return ((truth(predicates_given(a["grad_hy"])) || truth(predicates_given(a["grad_cy"]))) ? a["workspace"] : functions_absent()); }
inline Value rule_341(const Arguments& a) { (void)a; return ((truth(predicates_given(a["grad_hy"])) || truth(predicates_given(a["grad_cy"]))) ? a["cx"] : functions_absent()); }
inline Value rule_342(const Arguments& a) { (void)a; return ((truth(a["has_bias"]) && (truth(predicates_given(a["grad_hy"])) || truth(predicates_given(a["grad_cy"])))) ? Value::list({at(a["workspace"], Value(1LL))}) : functions_absent()); }
inline Value rule_343(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["cx"]) == Value(2LL))) && truth((a["cy"] == a["cx"])) && truth((a["workspace"] == Value::list({at(a["cx"], Value(0LL)), (Value(4LL) * at(a["cx"], Value(1LL)))})))); }
inline Value rule_344(const Arguments& a) { (void)a; return Value((!truth(predicates_given(a["grad_hy"])) || truth((a["grad_hy"] == a["cx"]))) && (!truth(predicates_given(a["grad_cy"])) || truth((a["grad_cy"] == a["cx"])))); }
inline Value rule_345(const Arguments& a) { (void)a; return Value::list({at(a["qkv"], Value(0LL)), a["num_heads"], at(a["qkv"], Value(1LL)), floordiv(at(a["qkv"], Value(2LL)), (Value(3LL) * a["num_heads"]))}); }
inline Value rule_346(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["qkv"]) == Value(3LL))) && truth((a["qkv_bias"] == Value::list({at(a["qkv"], Value(2LL))})))); }
inline Value rule_347(const Arguments& a) { (void)a; return Value(truth((a["num_heads"] > Value(0LL))) && truth(((at(a["qkv"], Value(2LL)) % (Value(3LL) * a["num_heads"])) == Value(0LL)))); }
inline Value rule_348(const Arguments& a) { (void)a; return (truth((length(a["sumdim"]) == Value(0LL))) ? indexing_broadcast(Value::list({matrices_with_ones(a["i1"], a["expand1"]), matrices_with_ones(a["i2"], a["expand2"]), matrices_with_ones(a["i3"], a["expand3"])})) : functions_reduce(indexing_broadcast(Value::list({matrices_with_ones(a["i1"], a["expand1"]), matrices_with_ones(a["i2"], a["expand2"]), matrices_with_ones(a["i3"], a["expand3"])})), a["sumdim"], Value(false))); }
inline Value rule_349(const Arguments& a) { (void)a; return Value(truth(((functions_rank(a["i1"]) + length(a["expand1"])) == (functions_rank(a["i2"]) + length(a["expand2"])))) && truth(((functions_rank(a["i1"]) + length(a["expand1"])) == (functions_rank(a["i3"]) + length(a["expand3"]))))); }
inline Value rule_350(const Arguments& a) { (void)a; return Value(truth((a["unroll_dim"] >= Value(0LL))) && truth((a["unroll_dim"] < (functions_rank(a["i1"]) + length(a["expand1"]))))); }
inline Value rule_351(const Arguments& a) { (void)a; return Value::list({functions_data_dependent(functions_numel(a["self"]))}); }
inline Value rule_352(const Arguments& a) { (void)a; return (truth(a["return_inverse"]) ? a["self"] : Value::list({Value(0LL)})); }
inline Value rule_353(const Arguments& a) { (void)a; return Value::list({(truth(a["return_counts"]) ? functions_data_dependent(functions_numel(a["self"])) : Value(0LL))}); }
inline Value rule_354(const Arguments& a) { (void)a; return indexing_index(a["self"], a["indices"], a.dtype("indices")); }
inline Value rule_355(const Arguments& a) { (void)a; return predicates_expandable(a["mask"], indexing_index(a["self"], a["indices"], a.dtype("indices"))); }
inline Value rule_356(const Arguments& a) { (void)a; return (slice(a["self"], Value(), Value(2LL)) + a["output_size"]); }
inline Value rule_357(const Arguments& a) { (void)a; return (functions_rank(a["self"]) == Value(4LL)); }
inline Value rule_358(const Arguments& a) { (void)a; return (functions_numel(slice(a["self"], Value(1LL), Value())) > Value(0LL)); }
inline Value rule_359(const Arguments& a) { (void)a; return a["input_size"]; }
inline Value rule_360(const Arguments& a) { (void)a; return (functions_rank(a["grad_output"]) == Value(4LL)); }
inline Value rule_361(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["input_size"], Value(), Value(2LL)) + a["output_size"])); }
inline Value rule_362(const Arguments& a) { (void)a; return (functions_numel(slice(a["input_size"], Value(1LL), Value())) > Value(0LL)); }
inline Value rule_363(const Arguments& a) { (void)a; return (functions_rank(a["self"]) == Value(3LL)); }
inline Value rule_364(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["output_size"]) == Value(1LL))) && truth((fold_min(Value::list({a["output_size"]})) > Value(0LL)))); }
inline Value rule_365(const Arguments& a) { (void)a; return (functions_rank(a["grad_output"]) == Value(3LL)); }
inline Value rule_366(const Arguments& a) { (void)a; return (functions_rank(a["self"]) == Value(5LL)); }
inline Value rule_367(const Arguments& a) { (void)a; return (functions_rank(a["grad_output"]) == Value(5LL)); }
inline Value rule_368(const Arguments& a) { (void)a; return Value::list({at(a["self"], Value(0LL)), (at(a["mat2"], Value(0LL)) * Value(8LL))}); }
inline Value rule_369(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) && truth((functions_rank(a["mat2"]) == Value(4LL))) && truth((at(a["mat2"], Value(2LL)) == Value(32LL)))); }
inline Value rule_370(const Arguments& a) { (void)a; return (at(a["self"], Value(1LL)) == ((at(a["mat2"], Value(1LL)) * at(a["mat2"], Value(3LL))) * Value(32LL))); }
inline Value rule_371(const Arguments& a) { (void)a; return Value(truth((a["qGroupSize"] == Value(32LL))) || truth((a["qGroupSize"] == Value(64LL))) || truth((a["qGroupSize"] == Value(128LL))) || truth((a["qGroupSize"] == Value(256LL)))); }
inline Value rule_372(const Arguments& a) { (void)a; return (a["qScaleAndZeros"] == Value::list({floordiv(at(a["self"], Value(1LL)), a["qGroupSize"]), (at(a["mat2"], Value(0LL)) * Value(8LL)), Value(2LL)})); }
inline Value rule_373(const Arguments& a) { (void)a; return Value::list({at(a["self"], Value(0LL)), at(a["mat2"], Value(0LL))}); }
inline Value rule_374(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) && truth((functions_rank(a["mat2"]) == Value(2LL))) && truth((at(a["self"], Value(1LL)) == at(a["mat2"], Value(1LL))))); }
inline Value rule_375(const Arguments& a) { (void)a; return (a["scales"] == Value::list({at(a["mat2"], Value(0LL))})); }
inline Value rule_376(const Arguments& a) { (void)a; return a["v"]; }
inline Value rule_377(const Arguments& a) { (void)a; return a["g"]; }
inline Value rule_378(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["v"]) > Value(0LL))) && (truth((a["dim"] == Value(0LL))) || truth((a["dim"] == (functions_rank(a["v"]) - Value(1LL)))))); }
inline Value rule_379(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["g"]) == at(a["v"], a["dim"]))) && truth((functions_rank(a["g"]) == functions_rank(a["v"])))); }
inline Value rule_380(const Arguments& a) { (void)a; return (functions_numel(a["v"]) > Value(0LL)); }
inline Value rule_381(const Arguments& a) { (void)a; return a["saved_v"]; }
inline Value rule_382(const Arguments& a) { (void)a; return a["saved_g"]; }
inline Value rule_383(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["saved_v"]) > Value(0LL))) && (truth((a["dim"] == Value(0LL))) || truth((a["dim"] == (functions_rank(a["saved_v"]) - Value(1LL)))))); }
inline Value rule_384(const Arguments& a) { (void)a; return (a["grad_w"] == a["saved_v"]); }
inline Value rule_385(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["saved_g"]) == at(a["saved_v"], a["dim"]))) && truth((functions_rank(a["saved_g"]) == functions_rank(a["saved_v"])))); }
inline Value rule_386(const Arguments& a) { (void)a; return (a["saved_norms"] == a["saved_g"]); }
inline Value rule_387(const Arguments& a) { (void)a; return (functions_numel(a["saved_v"]) > Value(0LL)); }
inline Value rule_388(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL))) + slice(a["grad_output"], (functions_rank(a["self"]) - Value(2LL)), Value()))); }
inline Value rule_389(const Arguments& a) { (void)a; return (a["indices"] == a["grad_output"]); }
inline Value rule_390(const Arguments& a) { (void)a; return (functions_numel(slice(a["self"], (functions_rank(a["self"]) - Value(4LL)), Value())) > Value(0LL)); }
inline Value rule_391(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + slice(a["grad_output"], (functions_rank(a["self"]) - Value(3LL)), Value()))); }
inline Value rule_392(const Arguments& a) { (void)a; return Value::list({at(a["batch1"], Value(1LL)), at(a["batch2"], Value(2LL))}); }
inline Value rule_393(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["batch1"]) == Value(3LL))) && truth((functions_rank(a["batch2"]) == Value(3LL)))); }
inline Value rule_394(const Arguments& a) { (void)a; return Value(truth((at(a["batch1"], Value(0LL)) == at(a["batch2"], Value(0LL)))) && truth((at(a["batch1"], Value(2LL)) == at(a["batch2"], Value(1LL))))); }
inline Value rule_395(const Arguments& a) { (void)a; return predicates_expandable(a["self"], Value::list({at(a["batch1"], Value(1LL)), at(a["batch2"], Value(2LL))})); }
inline Value rule_396(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["tensor1"], a["tensor2"]})); }
inline Value rule_397(const Arguments& a) { (void)a; return Value(truth((a["out_dtype"] == Value("float32"))) || truth((a["out_dtype"] == a.dtype("mat1")))); }
inline Value rule_398(const Arguments& a) { (void)a; return Value::list({at(a["mat"], Value(0LL))}); }
inline Value rule_399(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["mat"]) == Value(2LL))) && truth((functions_rank(a["vec"]) == Value(1LL)))); }
inline Value rule_400(const Arguments& a) { (void)a; return (at(a["mat"], Value(1LL)) == at(a["vec"], Value(0LL))); }
inline Value rule_401(const Arguments& a) { (void)a; return predicates_expandable(a["self"], Value::list({at(a["mat"], Value(0LL))})); }
inline Value rule_402(const Arguments& a) { (void)a; return Value::list({at(a["vec1"], Value(0LL)), at(a["vec2"], Value(0LL))}); }
inline Value rule_403(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["vec1"]) == Value(1LL))) && truth((functions_rank(a["vec2"]) == Value(1LL)))); }
inline Value rule_404(const Arguments& a) { (void)a; return predicates_expandable(a["self"], Value::list({at(a["vec1"], Value(0LL)), at(a["vec2"], Value(0LL))})); }
inline Value rule_405(const Arguments& a) { (void)a; return Value(truth(predicates_whole(Value::list({a["beta"], a["alpha"]}))) || !truth(predicates_integral(a.dtype("self")))); }
inline Value rule_406(const Arguments& a) { (void)a; return ((Value::list({at(a["size"], Value(0LL))}) + slice(a["size"], Value(2LL), Value())) + Value::list({(functions_rank(a["size"]) - Value(2LL))})); }
inline Value rule_407(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["size"]) == Value(4LL))) || truth((functions_rank(a["size"]) == Value(5LL)))); }
inline Value rule_408(const Arguments& a) { (void)a; return (a["theta"] == Value::list({at(a["size"], Value(0LL)), (functions_rank(a["size"]) - Value(2LL)), (functions_rank(a["size"]) - Value(1LL))})); }
inline Value rule_409(const Arguments& a) { (void)a; return (fold_min(Value::list({a["size"]})) > Value(0LL)); }
inline Value rule_410(const Arguments& a) { (void)a; return Value(truth((a["rtol"] >= Value(0LL))) && truth((a["atol"] >= Value(0LL)))); }
inline Value rule_411(const Arguments& a) { (void)a; return functions_arange(Value(0LL), a["end"], Value(1LL)); }
inline Value rule_412(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || truth(predicates_floating(a["dtype"])) || truth(predicates_whole(Value::list({a["end"]})))); }
inline Value rule_413(const Arguments& a) { (void)a; return functions_arange(a["start"], a["end"], Value(1LL)); }
inline Value rule_414(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || truth(predicates_floating(a["dtype"])) || truth(predicates_whole(Value::list({a["start"], a["end"]})))); }
inline Value rule_415(const Arguments& a) { (void)a; return functions_arange(a["start"], a["end"], a["step"]); }
inline Value rule_416(const Arguments& a) { (void)a; return (a["step"] != Value(0LL)); }
inline Value rule_417(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["self"]) > Value(0LL))) || truth(predicates_given(a["dim"]))); }
inline Value rule_418(const Arguments& a) { (void)a; return predicates_fits_storage(a["size"], a["stride"], a["storage_offset"], functions_numel(a["self"])); }
inline Value rule_419(const Arguments& a) { (void)a; return (a["src"] == a["size"]); }
inline Value rule_420(const Arguments& a) { (void)a; return functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], Value(1LL), a["ceil_mode"], Value(2LL)); }
inline Value rule_421(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["kernel_size"]) == Value(1LL))) || truth((functions_rank(a["kernel_size"]) == Value(2LL)))) && truth((fold_min(Value::list({a["kernel_size"]})) > Value(0LL)))); }
inline Value rule_422(const Arguments& a) { (void)a; return ((Value(2LL) * fold_max(Value::list({a["padding"]}))) <= fold_max(Value::list({a["kernel_size"]}))); }
inline Value rule_423(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["divisor_override"])) || truth((a["divisor_override"] != Value(0LL)))); }
inline Value rule_424(const Arguments& a) { (void)a; return (a["grad_output"] == functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], Value(1LL), a["ceil_mode"], Value(2LL))); }
inline Value rule_425(const Arguments& a) { (void)a; return functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], Value(1LL), a["ceil_mode"], Value(3LL)); }
inline Value rule_426(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["kernel_size"]) == Value(1LL))) || truth((functions_rank(a["kernel_size"]) == Value(3LL)))) && truth((fold_min(Value::list({a["kernel_size"]})) > Value(0LL)))); }
inline Value rule_427(const Arguments& a) { (void)a; return (a["grad_output"] == functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], Value(1LL), a["ceil_mode"], Value(3LL))); }
inline Value rule_428(const Arguments& a) { (void)a; return Value::list({at(a["batch1"], Value(0LL)), at(a["batch1"], Value(1LL)), at(a["batch2"], Value(2LL))}); }
inline Value rule_429(const Arguments& a) { (void)a; return predicates_expandable(a["self"], Value::list({at(a["batch1"], Value(0LL)), at(a["batch1"], Value(1LL)), at(a["batch2"], Value(2LL))})); }
inline Value rule_430(const Arguments& a) { (void)a; return Value(truth((a["out_dtype"] == Value("float32"))) || truth((a["out_dtype"] == a.dtype("batch1")))); }
inline Value rule_431(const Arguments& a) { (void)a; return Value::list({a["window_length"]}); }
inline Value rule_432(const Arguments& a) { (void)a; return (a["window_length"] >= Value(0LL)); }
inline Value rule_433(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || truth(predicates_floating(a["dtype"]))); }
inline Value rule_434(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(1LL))) ? slice(a["input"], Value(1LL), Value(2LL)) : functions_absent()); }
inline Value rule_435(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(2LL))) ? slice(a["input"], Value(1LL), Value(2LL)) : functions_absent()); }
inline Value rule_436(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) >= Value(2LL))) && truth((functions_numel(a["input"]) > Value(0LL)))); }
inline Value rule_437(const Arguments& a) { (void)a; return Value(!truth(a["update"]) || (truth(predicates_given(a["save_mean"])) && truth(predicates_given(a["save_var"])) && truth((a["save_mean"] == slice(a["input"], Value(1LL), Value(2LL)))))); }
inline Value rule_438(const Arguments& a) { (void)a; return Value(truth(a["update"]) || (truth(predicates_given(a["running_mean"])) && truth(predicates_given(a["running_var"])) && truth((a["running_mean"] == slice(a["input"], Value(1LL), Value(2LL)))))); }
inline Value rule_439(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["running_mean"])) && !truth(predicates_given(a["running_var"]))); }
inline Value rule_440(const Arguments& a) { (void)a; return predicates_expandable(a["p"], a["self"]); }
inline Value rule_441(const Arguments& a) { (void)a; return Value(truth((a["p"] >= Value(0LL))) && truth((a["p"] <= Value(1LL)))); }
inline Value rule_442(const Arguments& a) { (void)a; return (truth((a["reduction"] == Value(0LL))) ? a["self"] : Value::list({})); }
inline Value rule_443(const Arguments& a) { (void)a; return (a["self"] == a["target"]); }
inline Value rule_444(const Arguments& a) { (void)a; return Value(truth((Value(0LL) <= a["reduction"])) && truth((a["reduction"] <= Value(2LL)))); }
inline Value rule_445(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth(predicates_expandable(a["weight"], a["self"]))); }
inline Value rule_446(const Arguments& a) { (void)a; return Value(truth((a["grad_output"] == (truth((a["reduction"] == Value(0LL))) ? a["self"] : Value::list({})))) || truth((functions_numel(a["grad_output"]) == Value(1LL)))); }
inline Value rule_447(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["pos_weight"])) || truth(predicates_expandable(a["pos_weight"], a["self"]))); }
inline Value rule_448(const Arguments& a) { (void)a; return Value::list({functions_data_dependent()}); }
inline Value rule_449(const Arguments& a) { (void)a; return (functions_rank(a["self"]) == Value(1LL)); }
inline Value rule_450(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weights"])) || truth((a["weights"] == a["self"]))); }
inline Value rule_451(const Arguments& a) { (void)a; return (a["minlength"] >= Value(0LL)); }
inline Value rule_452(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["count"], a["prob"]})); }
inline Value rule_453(const Arguments& a) { (void)a; return a["other"]; }
inline Value rule_454(const Arguments& a) { (void)a; return matrices_block_diagonal(a["tensors"]); }
inline Value rule_455(const Arguments& a) { (void)a; return Value::list({at(a["self"], Value(0LL)), at(a["self"], Value(1LL)), at(a["mat2"], Value(2LL))}); }
inline Value rule_456(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(3LL))) && truth((functions_rank(a["mat2"]) == Value(3LL)))); }
inline Value rule_457(const Arguments& a) { (void)a; return Value(truth((at(a["self"], Value(0LL)) == at(a["mat2"], Value(0LL)))) && truth((at(a["self"], Value(2LL)) == at(a["mat2"], Value(1LL))))); }
inline Value rule_458(const Arguments& a) { (void)a; return Value(truth((a["out_dtype"] == Value("float32"))) || truth((a["out_dtype"] == a.dtype("self")))); }
inline Value rule_459(const Arguments& a) { (void)a; return (functions_rank(a["boundaries"]) == Value(1LL)); }
inline Value rule_460(const Arguments& a) { (void)a; return functions_cat(a["tensors"], a["dim"]); }
inline Value rule_461(const Arguments& a) { (void)a; return (a["sigma"] > Value(0LL)); }
inline Value rule_462(const Arguments& a) { (void)a; return (functions_rank(a["self"]) >= Value(3LL)); }
inline Value rule_463(const Arguments& a) { (void)a; return Value(truth((a["groups"] > Value(0LL))) && truth(((at(a["self"], Value(1LL)) % a["groups"]) == Value(0LL)))); }
inline Value rule_464(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["input2"], Value(), (-Value(2LL))), slice(a["self"], Value(), (-Value(2LL)))})) + slice(a["self"], (-Value(2LL)), Value())); }
inline Value rule_465(const Arguments& a) { (void)a; return matrices_is_square(a["input2"]); }
inline Value rule_466(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) >= Value(2LL))) && truth((at(a["self"], (-Value(2LL))) == at(a["input2"], (-Value(1LL)))))); }
inline Value rule_467(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["min"], a["max"]})); }
inline Value rule_468(const Arguments& a) { (void)a; return Value(truth(predicates_given(a["min"])) || truth(predicates_given(a["max"]))); }
inline Value rule_469(const Arguments& a) { (void)a; return Value(!(truth((a.dtype("self") == Value("bool"))) && truth((a.dtype("min") == Value("bool"))) && truth((a.dtype("max") == Value("bool"))))); }
inline Value rule_470(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["max"]})); }
inline Value rule_471(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["min"]})); }
inline Value rule_472(const Arguments& a) { (void)a; return ((slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL))) + Value::list({floordiv(functions_size(a["self"], (-Value(2LL))), (at(a["kernel_size"], Value(0LL)) * at(a["kernel_size"], Value(1LL))))})) + a["output_size"]); }
inline Value rule_473(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) || truth((functions_rank(a["self"]) == Value(3LL)))); }
inline Value rule_474(const Arguments& a) { (void)a; return (functions_rank(a["output_size"]) == Value(2LL)); }
inline Value rule_475(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["kernel_size"]) == Value(2LL))) && truth((functions_rank(a["dilation"]) == Value(2LL))) && truth((functions_rank(a["padding"]) == Value(2LL))) && truth((functions_rank(a["stride"]) == Value(2LL)))); }
inline Value rule_476(const Arguments& a) { (void)a; return Value(truth((fold_min(Value::list({a["kernel_size"]})) > Value(0LL))) && truth((fold_min(Value::list({a["dilation"]})) > Value(0LL))) && truth((fold_min(Value::list({a["stride"]})) > Value(0LL))) && truth((fold_min(Value::list({a["padding"]})) >= Value(0LL)))); }
inline Value rule_477(const Arguments& a) { (void)a; return ((functions_size(a["self"], (-Value(2LL))) % (at(a["kernel_size"], Value(0LL)) * at(a["kernel_size"], Value(1LL)))) == Value(0LL)); }
inline Value rule_478(const Arguments& a) { (void)a; return (functions_size(a["self"], (-Value(2LL))) > Value(0LL)); }
inline Value rule_479(const Arguments& a) { (void)a; return Value(truth((functions_conv_out(at(a["output_size"], Value(0LL)), at(a["kernel_size"], Value(0LL)), at(a["stride"], Value(0LL)), at(a["padding"], Value(0LL)), at(a["dilation"], Value(0LL))) > Value(0LL))) && truth((functions_conv_out(at(a["output_size"], Value(1LL)), at(a["kernel_size"], Value(1LL)), at(a["stride"], Value(1LL)), at(a["padding"], Value(1LL)), at(a["dilation"], Value(1LL))) > Value(0LL)))); }
inline Value rule_480(const Arguments& a) { (void)a; return (functions_size(a["self"], (-Value(1LL))) == (functions_conv_out(at(a["output_size"], Value(0LL)), at(a["kernel_size"], Value(0LL)), at(a["stride"], Value(0LL)), at(a["padding"], Value(0LL)), at(a["dilation"], Value(0LL))) * functions_conv_out(at(a["output_size"], Value(1LL)), at(a["kernel_size"], Value(1LL)), at(a["stride"], Value(1LL)), at(a["padding"], Value(1LL)), at(a["dilation"], Value(1LL))))); }
inline Value rule_481(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["real"], a["imag"]})); }
inline Value rule_482(const Arguments& a) { (void)a; return functions_pad(a["self"], a["pad"]); }
inline Value rule_483(const Arguments& a) { (void)a; return Value::list({(((at(a["self"], Value(0LL)) + (Value(2LL) * a["pad"])) - at(a["weight"], Value(0LL))) + Value(1LL)), at(a["self"], Value(1LL)), at(a["weight"], Value(2LL))}); }
inline Value rule_484(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(3LL))) && truth((functions_rank(a["weight"]) == Value(3LL)))); }
inline Value rule_485(const Arguments& a) { (void)a; return Value(truth((at(a["self"], Value(2LL)) == at(a["weight"], Value(1LL)))) && truth((a["bias"] == Value::list({at(a["weight"], Value(2LL))})))); }
inline Value rule_486(const Arguments& a) { (void)a; return Value(truth((a["pad"] >= Value(0LL))) && truth(((at(a["self"], Value(0LL)) + (Value(2LL) * a["pad"])) >= at(a["weight"], Value(0LL))))); }
inline Value rule_487(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["weight"]) > Value(0LL))) && truth((at(a["self"], Value(1LL)) > Value(0LL)))); }
inline Value rule_488(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(2LL))) ? Value::list({(truth(a["transposed"]) ? (at(a["weight"], Value(1LL)) * a["groups"]) : at(a["weight"], Value(0LL)))}) : functions_absent()); }
inline Value rule_489(const Arguments& a) { (void)a; return (a["grad_output"] == functions_conv(a["input"], a["weight"], a["stride"], a["padding"], a["dilation"], a["transposed"], a["output_padding"], a["groups"])); }
inline Value rule_490(const Arguments& a) { (void)a; return predicates_expandable(a["src"], a["self"]); }
inline Value rule_491(const Arguments& a) { (void)a; return functions_reduce(a["self"], a["dim"], Value(false)); }
inline Value rule_492(const Arguments& a) { (void)a; return indexing_diag_embed(a["self"], a["offset"], a["dim1"], a["dim2"]); }
inline Value rule_493(const Arguments& a) { (void)a; return predicates_distinct(Value::list({a["dim1"], a["dim2"]}), (functions_rank(a["self"]) + Value(1LL))); }
inline Value rule_494(const Arguments& a) { (void)a; return functions_diagonal(a["self"], a["offset"], a["dim1"], a["dim2"]); }
inline Value rule_495(const Arguments& a) { (void)a; return Value(truth(predicates_distinct(Value::list({a["dim1"], a["dim2"]}), functions_rank(a["self"]))) && truth((functions_rank(a["self"]) > Value(1LL)))); }
inline Value rule_496(const Arguments& a) { (void)a; return a["input_sizes"]; }
inline Value rule_497(const Arguments& a) { (void)a; return predicates_distinct(Value::list({a["dim1"], a["dim2"]}), functions_rank(a["input_sizes"])); }
inline Value rule_498(const Arguments& a) { (void)a; return (a["grad_output"] == functions_diagonal(a["input_sizes"], a["offset"], a["dim1"], a["dim2"])); }
inline Value rule_499(const Arguments& a) { (void)a; return (a["src"] == functions_diagonal(a["self"], a["offset"], a["dim1"], a["dim2"])); }
inline Value rule_500(const Arguments& a) { (void)a; return Value(truth((a["rounding_mode"] == Value("trunc"))) || truth((a["rounding_mode"] == Value("floor")))); }
inline Value rule_501(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(1LL))) && truth((functions_rank(a["tensor"]) == Value(1LL)))); }
inline Value rule_502(const Arguments& a) { (void)a; return (at(a["self"], Value(0LL)) == at(a["tensor"], Value(0LL))); }
inline Value rule_503(const Arguments& a) { (void)a; return a["grad_output"]; }
inline Value rule_504(const Arguments& a) { (void)a; return (a["grad_output"] == a["self_or_result"]); }
inline Value rule_505(const Arguments& a) { (void)a; return (a["indices"] + Value::list({at(a["weight"], Value(1LL))})); }
inline Value rule_506(const Arguments& a) { (void)a; return Value::list({a["num_weights"], functions_size(a["grad_output"], (functions_rank(a["grad_output"]) - Value(1LL)))}); }
inline Value rule_507(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["grad_output"]) == (functions_rank(a["indices"]) + Value(1LL)))) && truth((slice(a["grad_output"], Value(), (-Value(1LL))) == a["indices"]))); }
inline Value rule_508(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["size"]) == functions_rank(a["physical_layout"]))) && truth(predicates_distinct(a["physical_layout"], functions_rank(a["size"])))); }
inline Value rule_509(const Arguments& a) { (void)a; return (functions_rank(a["self"]) == functions_rank(a["other"])); }
inline Value rule_510(const Arguments& a) { (void)a; return functions_expand(a["self"], a["size"]); }
inline Value rule_511(const Arguments& a) { (void)a; return (a["lambd"] > Value(0LL)); }
inline Value rule_512(const Arguments& a) { (void)a; return Value::list({a["n"], a["n"]}); }
inline Value rule_513(const Arguments& a) { (void)a; return Value::list({a["n"], a["m"]}); }
inline Value rule_514(const Arguments& a) { (void)a; return Value(truth((a["zero_point"] >= a["quant_min"])) && truth((a["zero_point"] <= a["quant_max"]))); }
inline Value rule_515(const Arguments& a) { (void)a; return Value::list({a["n"]}); }
inline Value rule_516(const Arguments& a) { (void)a; return (a["n"] >= Value(1LL)); }
inline Value rule_517(const Arguments& a) { (void)a; return Value::list({(floordiv(a["n"], Value(2LL)) + Value(1LL))}); }
inline Value rule_518(const Arguments& a) { (void)a; return (functions_rank(a["value"]) == Value(0LL)); }
inline Value rule_519(const Arguments& a) { (void)a; return predicates_distinct(a["dims"], functions_rank(a["self"])); }
inline Value rule_520(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["kernel_size"]) == Value(2LL))) && truth((functions_rank(a["output_size"]) == Value(2LL))) && truth((fold_min(Value::list({a["kernel_size"]})) > Value(0LL))) && truth((fold_min(Value::list({a["output_size"]})) > Value(0LL)))); }
inline Value rule_521(const Arguments& a) { (void)a; return Value(truth((((at(a["output_size"], Value(0LL)) + at(a["kernel_size"], Value(0LL))) - Value(1LL)) <= at(a["self"], (functions_rank(a["self"]) - Value(2LL))))) && truth((((at(a["output_size"], Value(1LL)) + at(a["kernel_size"], Value(1LL))) - Value(1LL)) <= at(a["self"], (functions_rank(a["self"]) - Value(1LL)))))); }
inline Value rule_522(const Arguments& a) { (void)a; return (truth((functions_rank(a["self"]) == Value(3LL))) ? (a["random_samples"] == (slice((Value::list({Value(1LL)}) + a["self"]), Value(), Value(2LL)) + Value::list({Value(2LL)}))) : (a["random_samples"] == (slice(a["self"], Value(), Value(2LL)) + Value::list({Value(2LL)})))); }
inline Value rule_523(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL))) + a["output_size"])); }
inline Value rule_524(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["kernel_size"]) == Value(3LL))) && truth((functions_rank(a["output_size"]) == Value(3LL))) && truth((fold_min(Value::list({a["kernel_size"]})) > Value(0LL))) && truth((fold_min(Value::list({a["output_size"]})) > Value(0LL)))); }
inline Value rule_525(const Arguments& a) { (void)a; return Value(truth((((at(a["output_size"], Value(0LL)) + at(a["kernel_size"], Value(0LL))) - Value(1LL)) < at(a["self"], (functions_rank(a["self"]) - Value(3LL))))) && truth((((at(a["output_size"], Value(1LL)) + at(a["kernel_size"], Value(1LL))) - Value(1LL)) < at(a["self"], (functions_rank(a["self"]) - Value(2LL))))) && truth((((at(a["output_size"], Value(2LL)) + at(a["kernel_size"], Value(2LL))) - Value(1LL)) < at(a["self"], (functions_rank(a["self"]) - Value(1LL)))))); }
inline Value rule_526(const Arguments& a) { (void)a; return (truth((functions_rank(a["self"]) == Value(4LL))) ? (a["random_samples"] == (slice((Value::list({Value(1LL)}) + a["self"]), Value(), Value(2LL)) + Value::list({Value(3LL)}))) : (a["random_samples"] == (slice(a["self"], Value(), Value(2LL)) + Value::list({Value(3LL)})))); }
inline Value rule_527(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + a["output_size"])); }
inline Value rule_528(const Arguments& a) { (void)a; return a["index"]; }
inline Value rule_529(const Arguments& a) { (void)a; return Value(truth((fold_max(Value::list({functions_rank(a["index"]), Value(1LL)})) == fold_max(Value::list({functions_rank(a["self"]), Value(1LL)})))) || truth((functions_numel(a["index"]) == Value(0LL)))); }
inline Value rule_530(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["index"]) == Value(0LL))) || truth((functions_rank(a["index"]) == Value(0LL))) || truth((functions_rank(a["self"]) == Value(0LL))) || truth(predicates_within(a["index"], a["self"], a["dim"]))); }
inline Value rule_531(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["index"]) == Value(0LL))) || truth((a.dtype("index") == Value("int64"))) || truth((a.dtype("index") == Value("int32")))); }
inline Value rule_532(const Arguments& a) { (void)a; return Value(truth((a["p"] > Value(0LL))) && truth((a["p"] < Value(1LL)))); }
inline Value rule_533(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["self"])})); }
inline Value rule_534(const Arguments& a) { (void)a; return functions_replace(a["self"], a["dim"], floordiv(functions_size(a["self"], a["dim"]), Value(2LL))); }
inline Value rule_535(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) && truth(predicates_in_range(a["dim"], functions_rank(a["self"])))); }
inline Value rule_536(const Arguments& a) { (void)a; return ((functions_size(a["self"], a["dim"]) % Value(2LL)) == Value(0LL)); }
inline Value rule_537(const Arguments& a) { (void)a; return (a["grad_output"] == functions_replace(a["self"], a["dim"], floordiv(functions_size(a["self"], a["dim"]), Value(2LL)))); }
inline Value rule_538(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["x"]) > Value(0LL))) && truth(predicates_in_range(a["dim"], functions_rank(a["x"])))); }
inline Value rule_539(const Arguments& a) { (void)a; return ((functions_size(a["x"], a["dim"]) % Value(2LL)) == Value(0LL)); }
inline Value rule_540(const Arguments& a) { (void)a; return Value(truth((a["x"] == a["dx"])) && truth((a["x"] == a["grad_x"])) && truth((a["grad_glu"] == functions_replace(a["x"], a["dim"], floordiv(functions_size(a["x"], a["dim"]), Value(2LL)))))); }
inline Value rule_541(const Arguments& a) { (void)a; return (a["grad_glu"] == a["dgrad_glu"]); }
inline Value rule_542(const Arguments& a) { (void)a; return a["glu"]; }
inline Value rule_543(const Arguments& a) { (void)a; return Value(truth((a["x"] == a["dx"])) && truth((a["glu"] == functions_replace(a["x"], a["dim"], floordiv(functions_size(a["x"], a["dim"]), Value(2LL)))))); }
inline Value rule_544(const Arguments& a) { (void)a; return (slice(a["input"], Value(), Value(2LL)) + slice(a["grid"], Value(1LL), Value(3LL))); }
inline Value rule_545(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) == Value(4LL))) && truth((functions_rank(a["grid"]) == Value(4LL)))); }
inline Value rule_546(const Arguments& a) { (void)a; return Value(truth((at(a["grid"], Value(0LL)) == at(a["input"], Value(0LL)))) && truth((at(a["grid"], Value(3LL)) == Value(2LL)))); }
inline Value rule_547(const Arguments& a) { (void)a; return (functions_numel(slice(a["input"], Value(2LL), Value())) > Value(0LL)); }
inline Value rule_548(const Arguments& a) { (void)a; return Value(truth((a["interpolation_mode"] >= Value(0LL))) && truth((a["interpolation_mode"] <= Value(2LL)))); }
inline Value rule_549(const Arguments& a) { (void)a; return Value(truth((a["padding_mode"] >= Value(0LL))) && truth((a["padding_mode"] <= Value(2LL)))); }
inline Value rule_550(const Arguments& a) { (void)a; return a["grid"]; }
inline Value rule_551(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["input"], Value(), Value(2LL)) + slice(a["grid"], Value(1LL), Value(3LL)))); }
inline Value rule_552(const Arguments& a) { (void)a; return (slice(a["input"], Value(), Value(2LL)) + slice(a["grid"], Value(1LL), Value(4LL))); }
inline Value rule_553(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) == Value(5LL))) && truth((functions_rank(a["grid"]) == Value(5LL)))); }
inline Value rule_554(const Arguments& a) { (void)a; return Value(truth((at(a["grid"], Value(0LL)) == at(a["input"], Value(0LL)))) && truth((at(a["grid"], Value(4LL)) == Value(3LL)))); }
inline Value rule_555(const Arguments& a) { (void)a; return Value(truth((a["interpolation_mode"] >= Value(0LL))) && truth((a["interpolation_mode"] <= Value(1LL)))); }
inline Value rule_556(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["input"], Value(), Value(2LL)) + slice(a["grid"], Value(1LL), Value(4LL)))); }
inline Value rule_557(const Arguments& a) { (void)a; return a["grad_out"]; }
inline Value rule_558(const Arguments& a) { (void)a; return (a["grad_out"] == a["self"]); }
inline Value rule_559(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["values"]})); }
inline Value rule_560(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("values")); }
inline Value rule_561(const Arguments& a) { (void)a; return Value::list({a["bins"]}); }
inline Value rule_562(const Arguments& a) { (void)a; return (a["bins"] > Value(0LL)); }
inline Value rule_563(const Arguments& a) { (void)a; return (a["min"] <= a["max"]); }
inline Value rule_564(const Arguments& a) { (void)a; return Value::list({(a["bins"] + Value(1LL))}); }
inline Value rule_565(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == a["self"]))); }
inline Value rule_566(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["range"])) || truth((length(a["range"]) == Value(2LL)))); }
inline Value rule_567(const Arguments& a) { (void)a; return Value::list({(at(a["bins"], Value(0LL)) - Value(1LL))}); }
inline Value rule_568(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["bins"]) == Value(1LL))) && truth((functions_numel(a["bins"]) > Value(1LL)))); }
inline Value rule_569(const Arguments& a) { (void)a; return (a["delta"] > Value(0LL)); }
inline Value rule_570(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + Value::list({(functions_size(a["self"], (-Value(3LL))) * (at(a["kernel_size"], Value(0LL)) * at(a["kernel_size"], Value(1LL)))), (functions_conv_out(functions_size(a["self"], (-Value(2LL))), at(a["kernel_size"], Value(0LL)), at(a["stride"], Value(0LL)), at(a["padding"], Value(0LL)), at(a["dilation"], Value(0LL))) * functions_conv_out(functions_size(a["self"], (-Value(1LL))), at(a["kernel_size"], Value(1LL)), at(a["stride"], Value(1LL)), at(a["padding"], Value(1LL)), at(a["dilation"], Value(1LL))))})); }
inline Value rule_571(const Arguments& a) { (void)a; return Value(truth((functions_conv_out(functions_size(a["self"], (-Value(2LL))), at(a["kernel_size"], Value(0LL)), at(a["stride"], Value(0LL)), at(a["padding"], Value(0LL)), at(a["dilation"], Value(0LL))) > Value(0LL))) && truth((functions_conv_out(functions_size(a["self"], (-Value(1LL))), at(a["kernel_size"], Value(1LL)), at(a["stride"], Value(1LL)), at(a["padding"], Value(1LL)), at(a["dilation"], Value(1LL))) > Value(0LL)))); }
inline Value rule_572(const Arguments& a) { (void)a; return (functions_rank(a["index"]) <= Value(1LL)); }
inline Value rule_573(const Arguments& a) { (void)a; return (functions_numel(a["source"]) == functions_numel(functions_replace(a["self"], a["dim"], functions_numel(a["index"])))); }
inline Value rule_574(const Arguments& a) { (void)a; return (a["reduce"] != Value("sum")); }
inline Value rule_575(const Arguments& a) { (void)a; return Value(truth((a["reduce"] != Value("mean"))) || truth((a.dtype("self") != Value("bool")))); }
inline Value rule_576(const Arguments& a) { (void)a; return functions_replace(a["self"], a["dim"], functions_numel(a["index"])); }
inline Value rule_577(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) || truth((functions_numel(a["index"]) == Value(1LL)))); }
inline Value rule_578(const Arguments& a) { (void)a; return a["elements"]; }
inline Value rule_579(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(0LL))) || truth((functions_size(a["self"], a["dim"]) > Value(0LL)))); }
inline Value rule_580(const Arguments& a) { (void)a; return Value(truth((a["k"] >= Value(1LL))) && truth((a["k"] <= functions_size(a["self"], a["dim"])))); }
inline Value rule_581(const Arguments& a) { (void)a; return Value(truth((a.dtype("other") != Value("bool"))) || !truth(predicates_floating(a.dtype("self")))); }
inline Value rule_582(const Arguments& a) { (void)a; return Value(truth((a.dtype("other") != Value("float16"))) || truth(predicates_floating(a.dtype("self"))) || truth(predicates_integral(a.dtype("self")))); }
inline Value rule_583(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["end"]})); }
inline Value rule_584(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("end")); }
inline Value rule_585(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["end"], a["weight"]})); }
inline Value rule_586(const Arguments& a) { (void)a; return (a.dtype("self") == a.dtype("weight")); }
inline Value rule_587(const Arguments& a) { (void)a; return slice(a["self"], Value(), (-Value(2LL))); }
inline Value rule_588(const Arguments& a) { (void)a; return Value(truth((functions_size(a["self"], a["dim"]) == Value(3LL))) && truth((functions_size(a["other"], a["dim"]) == Value(3LL)))); }
inline Value rule_589(const Arguments& a) { (void)a; return (at(a["input"], (-Value(2LL))) >= at(a["input"], (-Value(1LL)))); }
inline Value rule_590(const Arguments& a) { (void)a; return (at(a["tau"], (-Value(1LL))) <= at(a["input"], (-Value(1LL)))); }
inline Value rule_591(const Arguments& a) { (void)a; return (slice(a["tau"], Value(), (-Value(1LL))) == slice(a["input"], Value(), (-Value(2LL)))); }
inline Value rule_592(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["LD"], Value(), (-Value(2LL))), slice(a["B"], Value(), (-Value(2LL)))})) + slice(a["B"], (-Value(2LL)), Value())); }
inline Value rule_593(const Arguments& a) { (void)a; return matrices_is_square(a["LD"]); }
inline Value rule_594(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["B"]) >= Value(2LL))) && truth((at(a["LD"], (-Value(1LL))) == at(a["B"], (-Value(2LL)))))); }
inline Value rule_595(const Arguments& a) { (void)a; return (a["pivots"] == slice(a["LD"], Value(), (-Value(1LL)))); }
inline Value rule_596(const Arguments& a) { (void)a; return ((slice(a["self"], Value(), (-Value(2LL))) + Value::list({at(a["self"], (-Value(1LL)))})) + slice(a["b"], (functions_rank(a["self"]) - Value(1LL)), Value())); }
inline Value rule_597(const Arguments& a) { (void)a; return ((truth((at(a["self"], (-Value(2LL))) > at(a["self"], (-Value(1LL))))) && truth(predicates_given(a["driver"])) && truth((a["driver"] != Value("gelsy")))) ? (slice(a["self"], Value(), (-Value(2LL))) + (truth((functions_rank(a["b"]) == functions_rank(a["self"]))) ? Value::list({at(a["b"], (-Value(1LL)))}) : Value::list({Value(1LL)}))) : Value::list({Value(0LL)})); }
inline Value rule_598(const Arguments& a) { (void)a; return (truth((a["driver"] == Value("gels"))) ? Value::list({Value(0LL)}) : slice(a["self"], Value(), (-Value(2LL)))); }
inline Value rule_599(const Arguments& a) { (void)a; return ((truth((a["driver"] == Value("gelsd"))) || truth((a["driver"] == Value("gelss")))) ? (slice(a["self"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["self"])})) : Value::list({Value(0LL)})); }
inline Value rule_600(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["b"]) == functions_rank(a["self"]))) || truth((functions_rank(a["b"]) == (functions_rank(a["self"]) - Value(1LL))))) && truth((slice(a["self"], Value(), (-Value(1LL))) == slice(a["b"], Value(), (functions_rank(a["self"]) - Value(1LL)))))); }
inline Value rule_601(const Arguments& a) { (void)a; return Value(!(truth((a["driver"] == Value("gels"))) && truth(predicates_given(a["rcond"])))); }
inline Value rule_602(const Arguments& a) { (void)a; return (slice(a["A"], Value(), (-Value(2LL))) + Value::list({at(a["A"], (-Value(2LL))), at(a["A"], (-Value(2LL)))})); }
inline Value rule_603(const Arguments& a) { (void)a; return (slice(a["A"], Value(), (-Value(2LL))) + Value::list({at(a["A"], (-Value(2LL))), matrices_shorter_side(a["A"])})); }
inline Value rule_604(const Arguments& a) { (void)a; return (slice(a["A"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["A"]), at(a["A"], (-Value(1LL)))})); }
inline Value rule_605(const Arguments& a) { (void)a; return a["pivot"]; }
inline Value rule_606(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["LU"], Value(), (-Value(2LL))), slice(a["B"], Value(), (-Value(2LL)))})) + slice(a["B"], (-Value(2LL)), Value())); }
inline Value rule_607(const Arguments& a) { (void)a; return matrices_is_square(a["LU"]); }
inline Value rule_608(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["B"]) >= Value(2LL))) && truth(((truth(a["left"]) ? at(a["B"], (-Value(2LL))) : at(a["B"], (-Value(1LL)))) == at(a["LU"], (-Value(1LL)))))); }
inline Value rule_609(const Arguments& a) { (void)a; return (a["pivots"] == slice(a["LU"], Value(), (-Value(1LL)))); }
inline Value rule_610(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["self"], Value(), (-Value(2LL))), a["atol"], a["rtol"]})) + Value::list({at(a["self"], (-Value(1LL))), at(a["self"], (-Value(2LL)))})); }
inline Value rule_611(const Arguments& a) { (void)a; return Value(truth(matrices_is_square(a["self"])) || !truth(a["hermitian"])); }
inline Value rule_612(const Arguments& a) { (void)a; return (truth((a["mode"] == Value("r"))) ? Value::list({Value(0LL)}) : (slice(a["A"], Value(), (-Value(1LL))) + Value::list({(truth((a["mode"] == Value("complete"))) ? at(a["A"], (-Value(2LL))) : matrices_shorter_side(a["A"]))}))); }
inline Value rule_613(const Arguments& a) { (void)a; return (slice(a["A"], Value(), (-Value(2LL))) + Value::list({(truth((a["mode"] == Value("complete"))) ? at(a["A"], (-Value(2LL))) : matrices_shorter_side(a["A"])), at(a["A"], (-Value(1LL)))})); }
inline Value rule_614(const Arguments& a) { (void)a; return Value(truth((a["mode"] == Value("reduced"))) || truth((a["mode"] == Value("complete"))) || truth((a["mode"] == Value("r")))); }
inline Value rule_615(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["self"], Value(), (-Value(2LL))), slice(a["B"], Value(), (-Value(2LL)))})) + slice(a["B"], (-Value(2LL)), Value())); }
inline Value rule_616(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["B"]) >= Value(2LL))) && truth(((truth(a["left"]) ? at(a["B"], (-Value(2LL))) : at(a["B"], (-Value(1LL)))) == at(a["self"], (-Value(1LL)))))); }
inline Value rule_617(const Arguments& a) { (void)a; return Value(truth((functions_numel(functions_sizes(a["self"], a["dim"])) > Value(0LL))) || !truth(predicates_given(a["ord"])) || (truth((a["ord"] >= Value(0LL))) && truth((a["ord"] < Value(1e+300))))); }
inline Value rule_618(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || (truth((predicates_floating(a["dtype"]) == predicates_floating(a.dtype("self")))) && truth((itemsize(a["dtype"]) >= itemsize(a.dtype("self")))))); }
inline Value rule_619(const Arguments& a) { (void)a; return a["weight"]; }
inline Value rule_620(const Arguments& a) { (void)a; return slice(a["weight"], Value(), Value(1LL)); }
inline Value rule_621(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["weight"]) == Value(2LL))) && truth((functions_rank(a["self"]) >= Value(1LL)))); }
inline Value rule_622(const Arguments& a) { (void)a; return Value(truth(((slice(a["self"], Value(), (-Value(1LL))) + Value::list({at(a["weight"], Value(0LL))})) == a["grad_output"])) && truth((at(a["self"], (-Value(1LL))) == at(a["weight"], Value(1LL))))); }
inline Value rule_623(const Arguments& a) { (void)a; return Value::list({a["steps"]}); }
inline Value rule_624(const Arguments& a) { (void)a; return (a["steps"] >= Value(0LL)); }
inline Value rule_625(const Arguments& a) { (void)a; return (functions_rank(a["end"]) == Value(0LL)); }
inline Value rule_626(const Arguments& a) { (void)a; return (functions_rank(a["start"]) == Value(0LL)); }
inline Value rule_627(const Arguments& a) { (void)a; return (a["std"] > Value(0LL)); }
inline Value rule_628(const Arguments& a) { (void)a; return (truth(a["unpack_pivots"]) ? (slice(a["LU_data"], Value(), (-Value(2LL))) + Value::list({at(a["LU_data"], (-Value(2LL))), at(a["LU_data"], (-Value(2LL)))})) : Value::list({Value(0LL)})); }
inline Value rule_629(const Arguments& a) { (void)a; return (truth(a["unpack_data"]) ? (slice(a["LU_data"], Value(), (-Value(2LL))) + Value::list({at(a["LU_data"], (-Value(2LL))), matrices_shorter_side(a["LU_data"])})) : Value::list({Value(0LL)})); }
inline Value rule_630(const Arguments& a) { (void)a; return (truth(a["unpack_data"]) ? (slice(a["LU_data"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["LU_data"]), at(a["LU_data"], (-Value(1LL)))})) : Value::list({Value(0LL)})); }
inline Value rule_631(const Arguments& a) { (void)a; return (functions_rank(a["LU_data"]) >= Value(2LL)); }
inline Value rule_632(const Arguments& a) { (void)a; return (a["LU_pivots"] == (slice(a["LU_data"], Value(), (-Value(2LL))) + Value::list({matrices_shorter_side(a["LU_data"])}))); }
inline Value rule_633(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["mask"]})); }
inline Value rule_634(const Arguments& a) { (void)a; return a["sizes"]; }
inline Value rule_635(const Arguments& a) { (void)a; return Value::list({functions_data_dependent(functions_numel(indexing_broadcast(Value::list({a["self"], a["mask"]}))))}); }
inline Value rule_636(const Arguments& a) { (void)a; return functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], a["dilation"], a["ceil_mode"], Value(2LL)); }
inline Value rule_637(const Arguments& a) { (void)a; return (a["grad_output"] == functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], a["dilation"], a["ceil_mode"], Value(2LL))); }
inline Value rule_638(const Arguments& a) { (void)a; return functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], a["dilation"], a["ceil_mode"], Value(3LL)); }
inline Value rule_639(const Arguments& a) { (void)a; return (a["grad_output"] == functions_pool(a["self"], a["kernel_size"], a["stride"], a["padding"], a["dilation"], a["ceil_mode"], Value(3LL))); }
inline Value rule_640(const Arguments& a) { (void)a; return (a["indices"] == a["self"]); }
inline Value rule_641(const Arguments& a) { (void)a; return (fold_min(Value::list({a["stride"]})) > Value(0LL)); }
inline Value rule_642(const Arguments& a) { (void)a; return Value(!truth(predicates_integral(a.dtype("self"))) || truth(predicates_given(a["dtype"]))); }
inline Value rule_643(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) && truth((functions_rank(a["mat2"]) == Value(2LL)))); }
inline Value rule_644(const Arguments& a) { (void)a; return (at(a["self"], Value(1LL)) == at(a["mat2"], Value(0LL))); }
inline Value rule_645(const Arguments& a) { (void)a; return ((truth((a["reduction"] == Value(0LL))) && truth((functions_rank(a["self"]) == Value(2LL)))) ? slice(a["self"], Value(), Value(1LL)) : Value::list({})); }
inline Value rule_646(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["self"]) == Value(1LL))) || truth((functions_rank(a["self"]) == Value(2LL)))) && truth((functions_size(a["self"], (-Value(1LL))) > Value(0LL)))); }
inline Value rule_647(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["target"]) <= Value(1LL))) && truth((functions_numel(a["target"]) == (truth((functions_rank(a["self"]) == Value(2LL))) ? at(a["self"], Value(0LL)) : Value(1LL))))); }
inline Value rule_648(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == slice(a["self"], (functions_rank(a["self"]) - Value(1LL)), Value())))); }
inline Value rule_649(const Arguments& a) { (void)a; return Value(truth((a["p"] == Value(1LL))) || truth((a["p"] == Value(2LL)))); }
inline Value rule_650(const Arguments& a) { (void)a; return (a["grad_output"] == ((truth((a["reduction"] == Value(0LL))) && truth((functions_rank(a["self"]) == Value(2LL)))) ? slice(a["self"], Value(), Value(1LL)) : Value::list({}))); }
inline Value rule_651(const Arguments& a) { (void)a; return (a["target"] == a["self"]); }
inline Value rule_652(const Arguments& a) { (void)a; return (a["is_target"] == a["target"]); }
inline Value rule_653(const Arguments& a) { (void)a; return a["target"]; }
inline Value rule_654(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (-Value(1LL))) + Value::list({a["num_samples"]})); }
inline Value rule_655(const Arguments& a) { (void)a; return Value(truth((a["num_samples"] > Value(0LL))) && (truth(a["replacement"]) || truth((a["num_samples"] <= functions_size(a["self"], (-Value(1LL))))))); }
inline Value rule_656(const Arguments& a) { (void)a; return Value::list({at(a["self"], Value(0LL))}); }
inline Value rule_657(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(2LL))) && truth((functions_rank(a["vec"]) == Value(1LL)))); }
inline Value rule_658(const Arguments& a) { (void)a; return (at(a["self"], Value(1LL)) == at(a["vec"], Value(0LL))); }
inline Value rule_659(const Arguments& a) { (void)a; return (a["p"] >= Value(1LL)); }
inline Value rule_660(const Arguments& a) { (void)a; return functions_replace(a["self"], a["dim"], a["length"]); }
inline Value rule_661(const Arguments& a) { (void)a; return (a["length"] >= Value(0LL)); }
inline Value rule_662(const Arguments& a) { (void)a; return Value(truth(((a["start"] + a["length"]) <= functions_size(a["self"], a["dim"]))) && (truth((a["start"] >= Value(0LL))) || truth(((a["start"] + a["length"]) <= Value(0LL))))); }
inline Value rule_663(const Arguments& a) { (void)a; return ((-a["start"]) <= functions_size(a["self"], a["dim"])); }
inline Value rule_664(const Arguments& a) { (void)a; return Value(truth((predicates_given(a["running_mean"]) == predicates_given(a["running_var"]))) && truth((predicates_given(a["running_mean"]) == Value(!truth(a["training"]))))); }
inline Value rule_665(const Arguments& a) { (void)a; return Value(truth(a["training"]) || (truth((a["running_mean"] == slice(a["input"], Value(1LL), Value(2LL)))) && truth((a["running_var"] == a["running_mean"])))); }
inline Value rule_666(const Arguments& a) { (void)a; return Value(!truth(a["train"]) || (truth(predicates_given(a["save_mean"])) && truth(predicates_given(a["save_invstd"])) && truth((a["save_mean"] == slice(a["input"], Value(1LL), Value(2LL)))))); }
inline Value rule_667(const Arguments& a) { (void)a; return Value(truth(a["train"]) || (truth(predicates_given(a["running_mean"])) && truth(predicates_given(a["running_var"])) && truth((a["running_mean"] == slice(a["input"], Value(1LL), Value(2LL)))))); }
inline Value rule_668(const Arguments& a) { (void)a; return Value(truth((Value(0LL) <= a["p"])) && truth((a["p"] <= Value(1LL)))); }
inline Value rule_669(const Arguments& a) { (void)a; return (a["grad_output"] == a["mask"]); }
inline Value rule_670(const Arguments& a) { (void)a; return Value::list({a["N"], a["group"]}); }
inline Value rule_671(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) >= Value(2LL))) && truth((at(a["input"], Value(0LL)) == a["N"])) && truth((at(a["input"], Value(1LL)) == a["C"]))); }
inline Value rule_672(const Arguments& a) { (void)a; return (functions_numel(slice(a["input"], Value(2LL), Value())) == a["HxW"]); }
inline Value rule_673(const Arguments& a) { (void)a; return Value(truth((a["group"] > Value(0LL))) && truth(((a["C"] % a["group"]) == Value(0LL)))); }
inline Value rule_674(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == Value::list({a["C"]})))); }
inline Value rule_675(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == Value::list({a["C"]})))); }
inline Value rule_676(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(1LL))) ? Value::list({a["C"]}) : functions_absent()); }
inline Value rule_677(const Arguments& a) { (void)a; return (truth(at(a["output_mask"], Value(2LL))) ? Value::list({a["C"]}) : functions_absent()); }
inline Value rule_678(const Arguments& a) { (void)a; return Value(truth((a["mean"] == Value::list({a["N"], a["group"]}))) && truth((a["rstd"] == a["mean"]))); }
inline Value rule_679(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == a["normalized_shape"]))); }
inline Value rule_680(const Arguments& a) { (void)a; return ((truth(at(a["output_mask"], Value(2LL))) && truth(predicates_given(a["bias"]))) ? a["bias"] : functions_absent()); }
inline Value rule_681(const Arguments& a) { (void)a; return Value(truth((a["mean"] == (slice(a["input"], Value(), (functions_rank(a["input"]) - functions_rank(a["normalized_shape"]))) + functions_fill(functions_rank(a["normalized_shape"]), Value(1LL))))) && truth((a["rstd"] == a["mean"]))); }
inline Value rule_682(const Arguments& a) { (void)a; return (a["target"] == functions_drop(a["self"], Value(1LL))); }
inline Value rule_683(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == Value::list({at(a["self"], Value(1LL))})))); }
inline Value rule_684(const Arguments& a) { (void)a; return Value(truth((a["grad_output"] == (truth((a["reduction"] == Value(0LL))) ? functions_drop(a["self"], Value(1LL)) : Value::list({})))) || truth((functions_numel(a["grad_output"]) == Value(1LL)))); }
inline Value rule_685(const Arguments& a) { (void)a; return (functions_numel(a["total_weight"]) == Value(1LL)); }
inline Value rule_686(const Arguments& a) { (void)a; return (truth((a["reduction"] == Value(0LL))) ? functions_drop(a["self"], Value(1LL)) : Value::list({})); }
inline Value rule_687(const Arguments& a) { (void)a; return (a["target"] == slice(a["self"], Value(), (-Value(1LL)))); }
inline Value rule_688(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == Value::list({functions_size(a["self"], (functions_rank(a["self"]) - Value(1LL)))})))); }
inline Value rule_689(const Arguments& a) { (void)a; return Value(truth((a["grad_output"] == (truth((a["reduction"] == Value(0LL))) ? slice(a["self"], Value(), (-Value(1LL))) : Value::list({})))) || truth((functions_numel(a["grad_output"]) == Value(1LL)))); }
inline Value rule_690(const Arguments& a) { (void)a; return (truth((a["reduction"] == Value(0LL))) ? slice(a["self"], Value(), (-Value(1LL))) : Value::list({})); }
inline Value rule_691(const Arguments& a) { (void)a; return Value::list({functions_data_dependent(functions_numel(a["self"])), functions_rank(a["self"])}); }
inline Value rule_692(const Arguments& a) { (void)a; return Value::list({a["size"], functions_rank(a["self"])}); }
inline Value rule_693(const Arguments& a) { (void)a; return (a["size"] >= Value(0LL)); }
inline Value rule_694(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["self"]) > Value(0LL))) || !truth(predicates_given(a["p"])) || (truth((a["p"] >= Value(0LL))) && truth((a["p"] < Value(1e+300))))); }
inline Value rule_695(const Arguments& a) { (void)a; return Value(truth((functions_numel(functions_sizes(a["self"], a["dim"])) > Value(0LL))) || !truth(predicates_given(a["p"])) || (truth((a["p"] >= Value(0LL))) && truth((a["p"] < Value(1e+300))))); }
inline Value rule_696(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["mean"], a["std"]})); }
inline Value rule_697(const Arguments& a) { (void)a; return a["mean"]; }
inline Value rule_698(const Arguments& a) { (void)a; return (a["std"] >= Value(0LL)); }
inline Value rule_699(const Arguments& a) { (void)a; return a["std"]; }
inline Value rule_700(const Arguments& a) { (void)a; return a["input3"]; }
inline Value rule_701(const Arguments& a) { (void)a; return (truth(a["left"]) ? (at(a["input3"], (-Value(2LL))) == at(a["self"], (-Value(2LL)))) : (at(a["input3"], (-Value(1LL))) == at(a["self"], (-Value(2LL))))); }
inline Value rule_702(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input3"]) == functions_rank(a["self"]))) && truth((slice(a["input3"], Value(), (-Value(2LL))) == slice(a["self"], Value(), (-Value(2LL)))))); }
inline Value rule_703(const Arguments& a) { (void)a; return Value(truth((at(a["input2"], (-Value(1LL))) <= at(a["self"], (-Value(1LL))))) && truth((slice(a["input2"], Value(), (-Value(1LL))) == slice(a["self"], Value(), (-Value(2LL)))))); }
inline Value rule_704(const Arguments& a) { (void)a; return (at(a["input2"], (-Value(1LL))) <= at(a["self"], (-Value(2LL)))); }
inline Value rule_705(const Arguments& a) { (void)a; return functions_permute(a["self"], a["dims"]); }
inline Value rule_706(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["dims"]) == functions_rank(a["self"]))) && truth(predicates_distinct(a["dims"], functions_rank(a["self"])))); }
inline Value rule_707(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + Value::list({floordiv(functions_size(a["self"], (-Value(3LL))), (a["upscale_factor"] * a["upscale_factor"])), (functions_size(a["self"], (-Value(2LL))) * a["upscale_factor"]), (functions_size(a["self"], (-Value(1LL))) * a["upscale_factor"])})); }
inline Value rule_708(const Arguments& a) { (void)a; return Value(truth((a["upscale_factor"] > Value(0LL))) && truth(((functions_size(a["self"], (-Value(3LL))) % (a["upscale_factor"] * a["upscale_factor"])) == Value(0LL)))); }
inline Value rule_709(const Arguments& a) { (void)a; return (slice(a["self"], Value(), (functions_rank(a["self"]) - Value(3LL))) + Value::list({((functions_size(a["self"], (-Value(3LL))) * a["downscale_factor"]) * a["downscale_factor"]), floordiv(functions_size(a["self"], (-Value(2LL))), a["downscale_factor"]), floordiv(functions_size(a["self"], (-Value(1LL))), a["downscale_factor"])})); }
inline Value rule_710(const Arguments& a) { (void)a; return Value(truth((a["downscale_factor"] > Value(0LL))) && truth(((functions_size(a["self"], (-Value(2LL))) % a["downscale_factor"]) == Value(0LL))) && truth(((functions_size(a["self"], (-Value(1LL))) % a["downscale_factor"]) == Value(0LL)))); }
inline Value rule_711(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["abs"], a["angle"]})); }
inline Value rule_712(const Arguments& a) { (void)a; return (a["n"] >= Value(0LL)); }
inline Value rule_713(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["self"], a["exponent"]})); }
inline Value rule_714(const Arguments& a) { (void)a; return (functions_numel(a["source"]) == functions_numel(a["index"])); }
inline Value rule_715(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["self"]) > Value(0LL))) || truth((functions_numel(a["index"]) == Value(0LL)))); }
inline Value rule_716(const Arguments& a) { (void)a; return (a["high"] > Value(0LL)); }
inline Value rule_717(const Arguments& a) { (void)a; return (a["low"] < a["high"]); }
inline Value rule_718(const Arguments& a) { (void)a; return (functions_numel(a["high"]) == Value(1LL)); }
inline Value rule_719(const Arguments& a) { (void)a; return Value(truth(predicates_given(a["to"])) || !truth(predicates_integral(a.dtype("self"))) || (truth((itemsize(a.dtype("self")) > Value(2LL))) && truth((a.dtype("self") != Value("uint64"))))); }
inline Value rule_720(const Arguments& a) { (void)a; return (a["to"] > Value(0LL)); }
inline Value rule_721(const Arguments& a) { (void)a; return functions_range(a["start"], a["end"], Value(1LL)); }
inline Value rule_722(const Arguments& a) { (void)a; return functions_range(a["start"], a["end"], a["step"]); }
inline Value rule_723(const Arguments& a) { (void)a; return (((a["end"] - a["start"]) * a["step"]) >= Value(0LL)); }
inline Value rule_724(const Arguments& a) { (void)a; return functions_pad(a["self"], a["padding"]); }
inline Value rule_725(const Arguments& a) { (void)a; return (functions_rank(a["padding"]) == Value(2LL)); }
inline Value rule_726(const Arguments& a) { (void)a; return (fold_min(Value::list({slice(functions_pad(a["self"], a["padding"]), (functions_rank(a["self"]) - Value(1LL)), Value())})) > Value(0LL)); }
inline Value rule_727(const Arguments& a) { (void)a; return (fold_max(Value::list({slice(a["padding"], Value(0LL), Value(2LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(1LL)), Value()), Value(0LL))); }
inline Value rule_728(const Arguments& a) { (void)a; return (a["grad_output"] == functions_pad(a["self"], a["padding"])); }
inline Value rule_729(const Arguments& a) { (void)a; return (functions_rank(a["padding"]) == Value(4LL)); }
inline Value rule_730(const Arguments& a) { (void)a; return (fold_min(Value::list({slice(functions_pad(a["self"], a["padding"]), (functions_rank(a["self"]) - Value(2LL)), Value())})) > Value(0LL)); }
inline Value rule_731(const Arguments& a) { (void)a; return Value(truth((fold_max(Value::list({slice(a["padding"], Value(0LL), Value(2LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(2LL)), Value()), Value(1LL)))) && truth((fold_max(Value::list({slice(a["padding"], Value(2LL), Value(4LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(2LL)), Value()), Value(0LL))))); }
inline Value rule_732(const Arguments& a) { (void)a; return (functions_rank(a["padding"]) == Value(6LL)); }
inline Value rule_733(const Arguments& a) { (void)a; return (fold_min(Value::list({slice(functions_pad(a["self"], a["padding"]), (functions_rank(a["self"]) - Value(3LL)), Value())})) > Value(0LL)); }
inline Value rule_734(const Arguments& a) { (void)a; return Value(truth((fold_max(Value::list({slice(a["padding"], Value(0LL), Value(2LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(3LL)), Value()), Value(2LL)))) && truth((fold_max(Value::list({slice(a["padding"], Value(2LL), Value(4LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(3LL)), Value()), Value(1LL)))) && truth((fold_max(Value::list({slice(a["padding"], Value(4LL), Value(6LL))})) < at(slice(a["self"], (functions_rank(a["self"]) - Value(3LL)), Value()), Value(0LL))))); }
inline Value rule_735(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) >= Value(2LL))) && truth(predicates_in_range(a["dim"], functions_rank(a["self"])))); }
inline Value rule_736(const Arguments& a) { (void)a; return Value(truth((a["p"] > Value(0LL))) && truth((a["maxnorm"] >= Value(0LL)))); }
inline Value rule_737(const Arguments& a) { (void)a; return functions_repeat(a["self"], a["repeats"]); }
inline Value rule_738(const Arguments& a) { (void)a; return (functions_rank(a["repeats"]) >= functions_rank(a["self"])); }
inline Value rule_739(const Arguments& a) { (void)a; return Value::list({(truth(predicates_given(a["output_size"])) ? a["output_size"] : functions_data_dependent())}); }
inline Value rule_740(const Arguments& a) { (void)a; return (functions_rank(a["repeats"]) == Value(1LL)); }
inline Value rule_741(const Arguments& a) { (void)a; return a["the_template"]; }
inline Value rule_742(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["shifts"]) == functions_rank(a["dims"]))) || (truth((functions_rank(a["dims"]) == Value(0LL))) && truth((functions_rank(a["shifts"]) == Value(1LL))))); }
inline Value rule_743(const Arguments& a) { (void)a; return (truth(((a["k"] % Value(2LL)) == Value(1LL))) ? functions_transpose(a["self"], at(a["dims"], Value(0LL)), at(a["dims"], Value(1LL))) : a["self"]); }
inline Value rule_744(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["dims"]) == Value(2LL))) && truth((functions_rank(a["self"]) >= Value(2LL)))); }
inline Value rule_745(const Arguments& a) { (void)a; return Value(truth((a["grad_output"] == a["self"])) && truth((a["self"] == a["noise"]))); }
inline Value rule_746(const Arguments& a) { (void)a; return a["noise"]; }
inline Value rule_747(const Arguments& a) { (void)a; return (a["self"] == a["noise"]); }
inline Value rule_748(const Arguments& a) { (void)a; return (a["lower"] <= a["upper"]); }
inline Value rule_749(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["index"]) == Value(0LL))) || truth((functions_rank(a["index"]) == Value(0LL))) || truth((functions_rank(a["src"]) == Value(0LL))) || truth(predicates_covers(a["src"], a["index"]))); }
inline Value rule_750(const Arguments& a) { (void)a; return Value((truth((a["reduce"] != Value("amax"))) && truth((a["reduce"] != Value("amin")))) || truth(predicates_floating(a.dtype("self"))) || truth(predicates_integral(a.dtype("self")))); }
inline Value rule_751(const Arguments& a) { (void)a; return (functions_rank(a["sorted_sequence"]) == Value(1LL)); }
inline Value rule_752(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["side"])) || !truth(a["right"]) || truth((a["side"] == Value("right")))); }
inline Value rule_753(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["sorter"])) || truth((a["sorter"] == a["sorted_sequence"]))); }
inline Value rule_754(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["sorted_sequence"]) == Value(1LL))) || truth(predicates_same_except(a["sorted_sequence"], a["self"], (-Value(1LL))))); }
inline Value rule_755(const Arguments& a) { (void)a; return (functions_rank(a["sorted_sequence"]) > Value(0LL)); }
inline Value rule_756(const Arguments& a) { (void)a; return functions_replace(a["data"], a["axis"], (truth(predicates_given(a["offsets"])) ? (functions_size(a["offsets"], (-Value(1LL))) - Value(1LL)) : functions_size(a["lengths"], (-Value(1LL))))); }
inline Value rule_757(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["indices"]))); }
inline Value rule_758(const Arguments& a) { (void)a; return functions_drop(a["self"], a["dim"]); }
inline Value rule_759(const Arguments& a) { (void)a; return Value(truth((a["index"] < functions_size(a["self"], a["dim"]))) && truth(((-a["index"]) <= functions_size(a["self"], a["dim"])))); }
inline Value rule_760(const Arguments& a) { (void)a; return Value(truth(predicates_in_range(a["dim"], functions_rank(a["input_sizes"]))) && truth((functions_rank(a["input_sizes"]) > Value(0LL)))); }
inline Value rule_761(const Arguments& a) { (void)a; return predicates_in_range(a["index"], functions_size(a["input_sizes"], a["dim"])); }
inline Value rule_762(const Arguments& a) { (void)a; return (a["grad_output"] == functions_drop(a["input_sizes"], a["dim"])); }
inline Value rule_763(const Arguments& a) { (void)a; return (a["src"] == functions_drop(a["self"], a["dim"])); }
inline Value rule_764(const Arguments& a) { (void)a; return functions_slice(a["self"], a["dim"], a["start"], a["end"], a["step"]); }
inline Value rule_765(const Arguments& a) { (void)a; return (a["step"] > Value(0LL)); }
inline Value rule_766(const Arguments& a) { (void)a; return (a["grad_output"] == functions_slice(a["input_sizes"], a["dim"], a["start"], a["end"], a["step"])); }
inline Value rule_767(const Arguments& a) { (void)a; return (a["src"] == functions_slice(a["self"], a["dim"], a["start"], a["end"], a["step"])); }
inline Value rule_768(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["weight"]) == Value(5LL))) && (truth((functions_rank(a["self"]) == Value(5LL))) || truth((functions_rank(a["self"]) == Value(4LL))))); }
inline Value rule_769(const Arguments& a) { (void)a; return (functions_size(a["self"], (-Value(4LL))) == at(a["weight"], Value(1LL))); }
inline Value rule_770(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["weight"]) > Value(0LL))) && truth((functions_numel(a["self"]) > Value(0LL))) && truth((fold_min(Value::list({slice(functions_conv(a["self"], a["weight"], a["stride"], a["padding"], Value(1LL), Value(false), Value(0LL), Value(1LL)), (functions_rank(a["self"]) - Value(3LL)), Value())})) > Value(0LL)))); }
inline Value rule_771(const Arguments& a) { (void)a; return functions_conv(a["self"], a["weight"], a["stride"], a["padding"], a["dilation"], Value(false), Value(0LL), Value(1LL)); }
inline Value rule_772(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["weight"]) > Value(0LL))) && truth((functions_numel(a["self"]) > Value(0LL))) && truth((fold_min(Value::list({slice(functions_conv(a["self"], a["weight"], a["stride"], a["padding"], a["dilation"], Value(false), Value(0LL), Value(1LL)), (functions_rank(a["self"]) - Value(2LL)), Value())})) > Value(0LL)))); }
inline Value rule_773(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["weight"]) > Value(0LL))) && truth((functions_numel(a["self"]) > Value(0LL))) && truth((fold_min(Value::list({slice(functions_conv(a["self"], a["weight"], a["stride"], a["padding"], a["dilation"], Value(false), Value(0LL), Value(1LL)), (functions_rank(a["self"]) - Value(3LL)), Value())})) > Value(0LL)))); }
inline Value rule_774(const Arguments& a) { (void)a; return functions_conv(a["self"], a["weight"], a["stride"], a["padding"], a["dilation"], Value(true), a["output_padding"], Value(1LL)); }
inline Value rule_775(const Arguments& a) { (void)a; return (functions_size(a["self"], (-Value(3LL))) == at(a["weight"], Value(0LL))); }
inline Value rule_776(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == Value::list({at(a["weight"], Value(1LL))})))); }
inline Value rule_777(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["weight"]) > Value(0LL))) && truth((functions_numel(a["self"]) > Value(0LL))) && truth((fold_min(Value::list({slice(functions_conv(a["self"], a["weight"], a["stride"], a["padding"], a["dilation"], Value(true), a["output_padding"], Value(1LL)), (functions_rank(a["self"]) - Value(2LL)), Value())})) > Value(0LL)))); }
inline Value rule_778(const Arguments& a) { (void)a; return (functions_size(a["self"], (-Value(4LL))) == at(a["weight"], Value(0LL))); }
inline Value rule_779(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["weight"]) > Value(0LL))) && truth((functions_numel(a["self"]) > Value(0LL))) && truth((fold_min(Value::list({slice(functions_conv(a["self"], a["weight"], a["stride"], a["padding"], a["dilation"], Value(true), a["output_padding"], Value(1LL)), (functions_rank(a["self"]) - Value(3LL)), Value())})) > Value(0LL)))); }
inline Value rule_780(const Arguments& a) { (void)a; return (a["beta"] > Value(0LL)); }
inline Value rule_781(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["x"], a["n"]})); }
inline Value rule_782(const Arguments& a) { (void)a; return a["n"]; }
inline Value rule_783(const Arguments& a) { (void)a; return functions_split(a["self"], a["split_size"], a["dim"]); }
inline Value rule_784(const Arguments& a) { (void)a; return Value(truth((a["split_size"] > Value(0LL))) || (truth((functions_size(a["self"], a["dim"]) == Value(0LL))) && truth((a["split_size"] == Value(0LL))))); }
inline Value rule_785(const Arguments& a) { (void)a; return functions_split_sizes(a["self"], a["split_sizes"], a["dim"]); }
inline Value rule_786(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["split_sizes"]) == Value(0LL))) || truth((fold_min(Value::list({a["split_sizes"]})) >= Value(0LL)))); }
inline Value rule_787(const Arguments& a) { (void)a; return functions_squeeze(a["self"]); }
inline Value rule_788(const Arguments& a) { (void)a; return functions_squeeze(a["self"], a["dim"]); }
inline Value rule_789(const Arguments& a) { (void)a; return functions_reverse(a["self"]); }
inline Value rule_790(const Arguments& a) { (void)a; return (functions_rank(a["self"]) <= Value(2LL)); }
inline Value rule_791(const Arguments& a) { (void)a; return functions_replace(a["self"], a["dim"], a["k"]); }
inline Value rule_792(const Arguments& a) { (void)a; return Value(truth((a["k"] >= Value(0LL))) && truth((a["k"] <= functions_size(a["self"], a["dim"])))); }
inline Value rule_793(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) || truth((a["k"] == Value(1LL)))); }
inline Value rule_794(const Arguments& a) { (void)a; return functions_transpose(a["self"], a["dim0"], a["dim1"]); }
inline Value rule_795(const Arguments& a) { (void)a; return Value(truth(predicates_in_range(a["dim0"], functions_rank(a["self"]))) && truth(predicates_in_range(a["dim1"], functions_rank(a["self"])))); }
inline Value rule_796(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["A"], Value(), (-Value(2LL))), slice(a["self"], Value(), (-Value(2LL)))})) + slice(a["self"], (-Value(2LL)), Value())); }
inline Value rule_797(const Arguments& a) { (void)a; return (indexing_broadcast(Value::list({slice(a["A"], Value(), (-Value(2LL))), slice(a["self"], Value(), (-Value(2LL)))})) + slice(a["A"], (-Value(2LL)), Value())); }
inline Value rule_798(const Arguments& a) { (void)a; return Value::list({Value(2LL), indexing_below_diagonal(a["row"], a["col"], a["offset"])}); }
inline Value rule_799(const Arguments& a) { (void)a; return Value(truth((a["row"] >= Value(0LL))) && truth((a["col"] >= Value(0LL)))); }
inline Value rule_800(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dtype"])) || truth((a["dtype"] == Value("int64"))) || truth((a["dtype"] == Value("int32")))); }
inline Value rule_801(const Arguments& a) { (void)a; return Value::list({Value(2LL), ((a["row"] * a["col"]) - indexing_below_diagonal(a["row"], a["col"], (a["offset"] - Value(1LL))))}); }
inline Value rule_802(const Arguments& a) { (void)a; return functions_unbind(a["self"], a["dim"]); }
inline Value rule_803(const Arguments& a) { (void)a; return functions_unfold(a["self"], a["dimension"], a["size"], a["step"]); }
inline Value rule_804(const Arguments& a) { (void)a; return predicates_in_range(a["dimension"], functions_rank(a["self"])); }
inline Value rule_805(const Arguments& a) { (void)a; return Value(truth((a["size"] <= functions_size(a["self"], a["dimension"]))) && truth((a["size"] >= Value(0LL)))); }
inline Value rule_806(const Arguments& a) { (void)a; return predicates_in_range(a["dim"], functions_rank(a["input_sizes"])); }
inline Value rule_807(const Arguments& a) { (void)a; return predicates_expandable(a["grad_in"], functions_unfold(a["input_sizes"], a["dim"], a["size"], a["step"])); }
inline Value rule_808(const Arguments& a) { (void)a; return ((truth(predicates_given(a["dim"])) && !(truth((functions_rank(a["self"]) == Value(1LL))) && truth((a["dim"] == Value(0LL))))) ? functions_replace(a["self"], a["dim"], functions_data_dependent(functions_size(a["self"], a["dim"]))) : Value::list({functions_data_dependent(functions_numel(a["self"]))})); }
inline Value rule_809(const Arguments& a) { (void)a; return ((truth(predicates_given(a["dim"])) && !(truth((functions_rank(a["self"]) == Value(1LL))) && truth((a["dim"] == Value(0LL))))) ? Value::list({functions_size(a["self"], a["dim"])}) : (truth(a["return_inverse"]) ? a["self"] : Value::list({Value(0LL)}))); }
inline Value rule_810(const Arguments& a) { (void)a; return ((truth(predicates_given(a["dim"])) && !(truth((functions_rank(a["self"]) == Value(1LL))) && truth((a["dim"] == Value(0LL))))) ? Value::list({functions_data_dependent(functions_size(a["self"], a["dim"]))}) : Value::list({(truth(a["return_counts"]) ? functions_data_dependent(functions_numel(a["self"])) : Value(0LL))})); }
inline Value rule_811(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dim"])) || (truth((functions_rank(a["self"]) > Value(0LL))) && truth(predicates_in_range(a["dim"], functions_rank(a["self"]))))); }
inline Value rule_812(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dim"])) || truth((functions_numel(a["self"]) > Value(0LL))) || (truth((functions_size(a["self"], a["dim"]) == Value(0LL))) && truth((functions_numel(functions_drop(a["self"], a["dim"])) > Value(0LL))))); }
inline Value rule_813(const Arguments& a) { (void)a; return functions_replace(a["self"], a["dim"], functions_data_dependent(functions_size(a["self"], a["dim"]))); }
inline Value rule_814(const Arguments& a) { (void)a; return Value::list({functions_size(a["self"], a["dim"])}); }
inline Value rule_815(const Arguments& a) { (void)a; return Value::list({functions_data_dependent(functions_size(a["self"], a["dim"]))}); }
inline Value rule_816(const Arguments& a) { (void)a; return Value(truth(predicates_in_range(a["dim"], functions_rank(a["self"]))) && truth((functions_rank(a["self"]) > Value(0LL)))); }
inline Value rule_817(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["self"]) > Value(0LL))) || (truth((functions_size(a["self"], a["dim"]) == Value(0LL))) && truth((functions_numel(functions_drop(a["self"], a["dim"])) > Value(0LL))))); }
inline Value rule_818(const Arguments& a) { (void)a; return functions_insert(a["self"], a["dim"], Value(1LL)); }
inline Value rule_819(const Arguments& a) { (void)a; return predicates_in_range(a["dim"], (functions_rank(a["self"]) + Value(1LL))); }
inline Value rule_820(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) == Value(1LL))) && truth((functions_rank(a["other"]) == Value(1LL)))); }
inline Value rule_821(const Arguments& a) { (void)a; return (at(a["self"], Value(0LL)) == at(a["other"], Value(0LL))); }
inline Value rule_822(const Arguments& a) { (void)a; return (truth((itemsize(a.dtype("self")) == itemsize(a["dtype"]))) ? a["self"] : functions_replace(a["self"], (-Value(1LL)), floordiv((functions_size(a["self"], (-Value(1LL))) * itemsize(a.dtype("self"))), itemsize(a["dtype"])))); }
inline Value rule_823(const Arguments& a) { (void)a; return Value(truth((itemsize(a.dtype("self")) == itemsize(a["dtype"]))) || (truth((functions_rank(a["self"]) > Value(0LL))) && truth((((functions_size(a["self"], (-Value(1LL))) * itemsize(a.dtype("self"))) % itemsize(a["dtype"])) == Value(0LL))))); }
inline Value rule_824(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) >= Value(1LL))) && truth((at(a["self"], (-Value(1LL))) == Value(2LL)))); }
inline Value rule_825(const Arguments& a) { (void)a; return functions_insert(a["self"], (-Value(1LL)), Value(2LL)); }
inline Value rule_826(const Arguments& a) { (void)a; return indexing_broadcast(Value::list({a["condition"], a["self"], a["other"]})); }
inline Value rule_827(const Arguments& a) { (void)a; return a["a"]; }
inline Value rule_828(const Arguments& a) { (void)a; return (slice(a["input"], Value(), (-Value(1LL))) + Value::list({Value(1LL)})); }
inline Value rule_829(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth((functions_numel(functions_sizes(a["input"], Value::list({(-Value(1LL))}))) > Value(0LL)))); }
inline Value rule_830(const Arguments& a) { (void)a; return (a.dtype("input") == a["dtype"]); }
inline Value rule_831(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth((a["axis"] >= Value(0LL))) && truth((a["axis"] < functions_rank(a["input"])))); }
inline Value rule_832(const Arguments& a) { (void)a; return (a["scales"] == Value::list({functions_size(a["input"], a["axis"])})); }
inline Value rule_833(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["zero_points"])) || truth((a["zero_points"] == a["scales"]))); }
inline Value rule_834(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) == Value(2LL))) && truth((functions_rank(a["scales"]) == Value(2LL))) && truth((at(a["input"], Value(0LL)) == at(a["scales"], Value(0LL))))); }
inline Value rule_835(const Arguments& a) { (void)a; return Value(truth((a["group_size"] > Value(1LL))) && truth(((at(a["input"], Value(1LL)) % a["group_size"]) == Value(0LL)))); }
inline Value rule_836(const Arguments& a) { (void)a; return ((at(a["scales"], Value(1LL)) * a["group_size"]) == at(a["input"], Value(1LL))); }
inline Value rule_837(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["scale"]) == Value(1LL))) && truth((functions_numel(a["zero_point"]) == Value(1LL)))); }
inline Value rule_838(const Arguments& a) { (void)a; return Value(truth((a["scales"] == (slice(a["input"], Value(), (-Value(1LL))) + Value::list({Value(1LL)})))) && truth((a["zero_points"] == a["scales"]))); }
inline Value rule_839(const Arguments& a) { (void)a; return (truth(a["compute_input_grad"]) ? a["input"] : Value::list({Value(0LL), Value(0LL)})); }
inline Value rule_840(const Arguments& a) { (void)a; return (truth(a["compute_linear_weight_grad"]) ? a["linear_weight"] : Value::list({Value(0LL), Value(0LL)})); }
inline Value rule_841(const Arguments& a) { (void)a; return (truth(a["compute_linear_bias_grad"]) ? slice(a["linear_weight"], Value(), (-Value(1LL))) : Value::list({Value(0LL)})); }
inline Value rule_842(const Arguments& a) { (void)a; return (functions_rank(a["input"]) == Value(2LL)); }
inline Value rule_843(const Arguments& a) { (void)a; return (functions_rank(a["linear_weight"]) == Value(2LL)); }
inline Value rule_844(const Arguments& a) { (void)a; return (at(a["input"], Value(1LL)) == at(a["linear_weight"], Value(1LL))); }
inline Value rule_845(const Arguments& a) { (void)a; return (at(a["linear_weight"], Value(0LL)) > Value(0LL)); }
inline Value rule_846(const Arguments& a) { (void)a; return (a["target"] == Value::list({at(a["input"], Value(0LL))})); }
inline Value rule_847(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["linear_bias"])) || truth((a["linear_bias"] == Value::list({at(a["linear_weight"], Value(0LL))})))); }
inline Value rule_848(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == Value::list({at(a["linear_weight"], Value(0LL))})))); }
inline Value rule_849(const Arguments& a) { (void)a; return (a["batch_chunk_size"] > Value(0LL)); }
inline Value rule_850(const Arguments& a) { (void)a; return Value(truth((a["acc_policy"] == Value("accurate"))) || truth((a["acc_policy"] == Value("balanced"))) || truth((a["acc_policy"] == Value("compact")))); }
inline Value rule_851(const Arguments& a) { (void)a; return Value(truth((a["acc_dtype"] == a.dtype("input"))) || (truth((a["acc_dtype"] == Value("float32"))) && (truth((a.dtype("input") == Value("float16"))) || truth((a.dtype("input") == Value("bfloat16")))))); }
inline Value rule_852(const Arguments& a) { (void)a; return Value(truth((a["reduction"] == Value("mean"))) || truth((a["reduction"] == Value("sum")))); }
inline Value rule_853(const Arguments& a) { (void)a; return (a["label_smoothing"] == Value(0.0)); }
inline Value rule_854(const Arguments& a) { (void)a; return slice(a["input"], Value(), Value(1LL)); }
inline Value rule_855(const Arguments& a) { (void)a; return Value(truth((a["mean"] == slice(a["input"], Value(1LL), Value(2LL)))) && truth((a["var"] == a["mean"]))); }
inline Value rule_856(const Arguments& a) { (void)a; return Value(truth(predicates_given(a["weight"])) || !truth(predicates_given(a["bias"]))); }
inline Value rule_857(const Arguments& a) { (void)a; return (functions_numel(a["input"]) > at(a["input"], Value(1LL))); }
inline Value rule_858(const Arguments& a) { (void)a; return (truth((a["reduction"] == Value(0LL))) ? functions_drop(a["input"], (truth((functions_rank(a["input"]) == Value(1LL))) ? Value(0LL) : Value(1LL))) : Value::list({})); }
inline Value rule_859(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth((functions_numel(a["input"]) > Value(0LL)))); }
inline Value rule_860(const Arguments& a) { (void)a; return (a["target"] == functions_drop(a["input"], (truth((functions_rank(a["input"]) == Value(1LL))) ? Value(0LL) : Value(1LL)))); }
inline Value rule_861(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["weight"])) || truth((a["weight"] == Value::list({functions_size(a["input"], (truth((functions_rank(a["input"]) == Value(1LL))) ? Value(0LL) : Value(1LL)))})))); }
inline Value rule_862(const Arguments& a) { (void)a; return Value(truth((Value(0.0) <= a["label_smoothing"])) && truth((a["label_smoothing"] <= Value(1.0)))); }
inline Value rule_863(const Arguments& a) { (void)a; return (a["grad_output"] == (truth((a["reduction"] == Value(0LL))) ? functions_drop(a["input"], (truth((functions_rank(a["input"]) == Value(1LL))) ? Value(0LL) : Value(1LL))) : Value::list({}))); }
inline Value rule_864(const Arguments& a) { (void)a; return Value::list({(truth(predicates_given(a["offsets"])) ? at(a["offsets"], Value(0LL)) : at(a["indices"], Value(0LL))), at(a["weight"], Value(1LL))}); }
inline Value rule_865(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["weight"]) == Value(2LL))) && truth((functions_numel(a["weight"]) > Value(0LL))) && truth((functions_numel(a["indices"]) > Value(0LL)))); }
inline Value rule_866(const Arguments& a) { (void)a; return (truth(predicates_given(a["offsets"])) ? Value(truth((functions_rank(a["indices"]) == Value(1LL))) && truth((functions_rank(a["offsets"]) == Value(1LL)))) : (functions_rank(a["indices"]) == Value(2LL))); }
inline Value rule_867(const Arguments& a) { (void)a; return Value(!(truth(a["mean"]) && truth(predicates_given(a["per_sample_weights"])))); }
inline Value rule_868(const Arguments& a) { (void)a; return Value::list({at(a["router_logits"], Value(0LL)), a["k"]}); }
inline Value rule_869(const Arguments& a) { (void)a; return Value::list({(at(a["router_logits"], Value(0LL)) * a["k"])}); }
inline Value rule_870(const Arguments& a) { (void)a; return slice(a["router_logits"], Value(1LL), Value()); }
inline Value rule_871(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["router_logits"]) == Value(2LL))) && truth((functions_numel(a["router_logits"]) > Value(0LL)))); }
inline Value rule_872(const Arguments& a) { (void)a; return Value(truth((Value(0LL) < a["k"])) && truth((a["k"] <= at(a["router_logits"], Value(1LL))))); }
inline Value rule_873(const Arguments& a) { (void)a; return a["gate"]; }
inline Value rule_874(const Arguments& a) { (void)a; return (a["gate"] == a["up"]); }
inline Value rule_875(const Arguments& a) { (void)a; return Value(truth((a["num_groups"] > Value(0LL))) && truth(((at(a["input"], Value(1LL)) % a["num_groups"]) == Value(0LL)))); }
inline Value rule_876(const Arguments& a) { (void)a; return ((functions_numel(slice(a["input"], Value(2LL), Value())) * at(a["input"], Value(1LL))) > a["num_groups"]); }
inline Value rule_877(const Arguments& a) { (void)a; return Value::list({at(a["input"], Value(0LL)), at(a["input"], Value(1LL)), at(a["h"], Value(1LL))}); }
inline Value rule_878(const Arguments& a) { (void)a; return a["h"]; }
inline Value rule_879(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) == Value(3LL))) && truth((functions_rank(a["h"]) == Value(2LL))) && truth((functions_numel(a["input"]) > Value(0LL)))); }
inline Value rule_880(const Arguments& a) { (void)a; return (at(a["h"], Value(0LL)) == at(a["input"], (truth(a["batch_first"]) ? Value(0LL) : Value(1LL)))); }
inline Value rule_881(const Arguments& a) { (void)a; return Value(truth((a["weight_ih"] == Value::list({(Value(3LL) * at(a["h"], Value(1LL))), at(a["input"], Value(2LL))}))) && truth((a["weight_hh"] == Value::list({(Value(3LL) * at(a["h"], Value(1LL))), at(a["h"], Value(1LL))})))); }
inline Value rule_882(const Arguments& a) { (void)a; return Value(truth((predicates_given(a["bias_ih"]) == predicates_given(a["bias_hh"]))) && (!truth(predicates_given(a["bias_ih"])) || truth((a["bias_ih"] == Value::list({(Value(3LL) * at(a["h"], Value(1LL)))}))))); }
inline Value rule_883(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias_hh"])) || truth((a["bias_hh"] == Value::list({(Value(3LL) * at(a["h"], Value(1LL)))})))); }
inline Value rule_884(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) >= Value(3LL))) && truth((functions_numel(slice(a["input"], Value(2LL), Value())) > Value(1LL)))); }
inline Value rule_885(const Arguments& a) { (void)a; return (slice(a["input"], Value(), Value(2LL)) + a["size"]); }
inline Value rule_886(const Arguments& a) { (void)a; return Value((truth((functions_rank(a["input"]) == Value(3LL))) || truth((functions_rank(a["input"]) == Value(4LL)))) && truth((functions_rank(a["size"]) == (functions_rank(a["input"]) - Value(2LL))))); }
inline Value rule_887(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["input"]) > Value(0LL))) && truth((fold_min(Value::list({a["size"]})) > Value(0LL)))); }
inline Value rule_888(const Arguments& a) { (void)a; return Value(truth(a["linear"]) || !truth(a["align_corners"])); }
inline Value rule_889(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["scales"])) || truth((length(a["scales"]) == functions_rank(a["size"])))); }
inline Value rule_890(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["seed"]) == Value(0LL))) && truth((functions_rank(a["offset"]) == Value(0LL)))); }
inline Value rule_891(const Arguments& a) { (void)a; return a["cache"]; }
inline Value rule_892(const Arguments& a) { (void)a; return Value(truth(predicates_in_range(a["dim"], functions_rank(a["cache"]))) && truth((functions_rank(a["positions"]) == Value(1LL)))); }
inline Value rule_893(const Arguments& a) { (void)a; return Value(truth(predicates_same_except(a["cache"], a["update"], a["dim"])) && truth((functions_size(a["update"], a["dim"]) == at(a["positions"], Value(0LL))))); }
inline Value rule_894(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth(predicates_in_range(a["dim"], functions_rank(a["input"])))); }
inline Value rule_895(const Arguments& a) { (void)a; return a["B"]; }
inline Value rule_896(const Arguments& a) { (void)a; return (slice(a["LD"], Value(), (-Value(1LL))) == slice(a["B"], Value(), (-Value(1LL)))); }
inline Value rule_897(const Arguments& a) { (void)a; return (slice(a["input"], Value(), (functions_rank(a["input"]) - Value(1LL))) + slice(a["weight"], Value(), Value(1LL))); }
inline Value rule_898(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth((functions_rank(a["weight"]) == Value(2LL)))); }
inline Value rule_899(const Arguments& a) { (void)a; return (at(a["input"], (functions_rank(a["input"]) - Value(1LL))) == at(a["weight"], Value(1LL))); }
inline Value rule_900(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias"])) || truth((a["bias"] == slice(a["weight"], Value(), Value(1LL))))); }
inline Value rule_901(const Arguments& a) { (void)a; return a["c"]; }
inline Value rule_902(const Arguments& a) { (void)a; return Value(truth((a["weight_ih"] == Value::list({(Value(4LL) * at(a["h"], Value(1LL))), at(a["input"], Value(2LL))}))) && truth((a["weight_hh"] == Value::list({(Value(4LL) * at(a["h"], Value(1LL))), at(a["h"], Value(1LL))})))); }
inline Value rule_903(const Arguments& a) { (void)a; return Value(truth((predicates_given(a["bias_ih"]) == predicates_given(a["bias_hh"]))) && (!truth(predicates_given(a["bias_ih"])) || truth((a["bias_ih"] == Value::list({(Value(4LL) * at(a["h"], Value(1LL)))}))))); }
inline Value rule_904(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["bias_hh"])) || truth((a["bias_hh"] == Value::list({(Value(4LL) * at(a["h"], Value(1LL)))})))); }
inline Value rule_905(const Arguments& a) { (void)a; return (a["c"] == a["h"]); }
inline Value rule_906(const Arguments& a) { (void)a; return ((indexing_broadcast(Value::list({slice(a["self"], Value(), (functions_rank(a["self"]) - Value(2LL))), slice(a["other"], Value(), (functions_rank(a["other"]) - Value(2LL)))})) + (truth((functions_rank(a["self"]) > Value(1LL))) ? slice(a["self"], (functions_rank(a["self"]) - Value(2LL)), (functions_rank(a["self"]) - Value(1LL))) : Value::list({}))) + (truth((functions_rank(a["other"]) > Value(1LL))) ? slice(a["other"], (functions_rank(a["other"]) - Value(1LL)), Value()) : Value::list({}))); }
inline Value rule_907(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["self"]) > Value(0LL))) && truth((functions_rank(a["other"]) > Value(0LL)))); }
inline Value rule_908(const Arguments& a) { (void)a; return (at(a["self"], (functions_rank(a["self"]) - Value(1LL))) == (truth((functions_rank(a["other"]) > Value(1LL))) ? at(a["other"], (functions_rank(a["other"]) - Value(2LL))) : at(a["other"], Value(0LL)))); }
inline Value rule_909(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth((functions_rank(a["weight"]) == Value(2LL))) && truth((functions_rank(a["scales"]) == Value(2LL)))); }
inline Value rule_910(const Arguments& a) { (void)a; return Value(truth((at(a["scales"], Value(0LL)) == at(a["weight"], Value(0LL)))) && truth((at(a["scales"], Value(1LL)) > Value(0LL))) && truth(((at(a["weight"], Value(1LL)) % at(a["scales"], Value(1LL))) == Value(0LL)))); }
inline Value rule_911(const Arguments& a) { (void)a; return (truth(predicates_given(a["weight"])) ? a["weight"] : Value::list({Value(0LL)})); }
inline Value rule_912(const Arguments& a) { (void)a; return (a["grad_output"] == a["input"]); }
inline Value rule_913(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["x"]) > Value(0LL))) && truth(((at(a["x"], (functions_rank(a["x"]) - Value(1LL))) % Value(2LL)) == Value(0LL)))); }
inline Value rule_914(const Arguments& a) { (void)a; return Value(truth((a["cos"] == a["sin"])) && truth(predicates_expandable(a["cos"], a["x"]))); }
inline Value rule_915(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["grad_output"]) > Value(0LL))) && truth(((at(a["grad_output"], (functions_rank(a["grad_output"]) - Value(1LL))) % Value(2LL)) == Value(0LL)))); }
inline Value rule_916(const Arguments& a) { (void)a; return Value(truth((a["cos"] == a["sin"])) && truth(predicates_expandable(a["cos"], a["grad_output"]))); }
inline Value rule_917(const Arguments& a) { (void)a; return (slice(a["query"], Value(), (functions_rank(a["query"]) - Value(1LL))) + slice(a["value"], (functions_rank(a["value"]) - Value(1LL)), Value())); }
inline Value rule_918(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["query"]) >= Value(3LL))) && truth((functions_rank(a["query"]) <= Value(4LL))) && truth((functions_rank(a["key"]) == functions_rank(a["query"]))) && truth((functions_rank(a["value"]) == functions_rank(a["query"])))); }
inline Value rule_919(const Arguments& a) { (void)a; return Value(truth((at(a["query"], Value(0LL)) == at(a["key"], Value(0LL)))) && truth((slice(a["key"], Value(), (functions_rank(a["key"]) - Value(1LL))) == slice(a["value"], Value(), (functions_rank(a["value"]) - Value(1LL)))))); }
inline Value rule_920(const Arguments& a) { (void)a; return (at(a["query"], (functions_rank(a["query"]) - Value(1LL))) == at(a["key"], (functions_rank(a["key"]) - Value(1LL)))); }
inline Value rule_921(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["query"]) < Value(4LL))) || (truth((at(a["key"], Value(1LL)) > Value(0LL))) && truth(((at(a["query"], Value(1LL)) % at(a["key"], Value(1LL))) == Value(0LL))))); }
inline Value rule_922(const Arguments& a) { (void)a; return Value(truth((functions_numel(a["query"]) > Value(0LL))) && truth((functions_numel(a["key"]) > Value(0LL))) && truth((functions_numel(a["value"]) > Value(0LL)))); }
inline Value rule_923(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["attn_mask"])) || truth(predicates_expandable(a["attn_mask"], (slice(a["query"], Value(), (functions_rank(a["query"]) - Value(1LL))) + slice(a["key"], (functions_rank(a["key"]) - Value(2LL)), (functions_rank(a["key"]) - Value(1LL))))))); }
inline Value rule_924(const Arguments& a) { (void)a; return Value(!(truth(a["is_causal"]) && truth(predicates_given(a["attn_mask"])))); }
inline Value rule_925(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["attn_mask"])) || truth((a.dtype("attn_mask") != Value("float64"))) || truth((a.dtype("query") == Value("float64")))); }
inline Value rule_926(const Arguments& a) { (void)a; return Value(!truth(predicates_given(a["dropout_mask"])) || truth((a["dropout_mask"] == (slice(a["query"], Value(), (functions_rank(a["query"]) - Value(1LL))) + slice(a["key"], (functions_rank(a["key"]) - Value(2LL)), (functions_rank(a["key"]) - Value(1LL))))))); }
inline Value rule_927(const Arguments& a) { (void)a; return (a["grad_output"] == (slice(a["query"], Value(), (functions_rank(a["query"]) - Value(1LL))) + slice(a["value"], (functions_rank(a["value"]) - Value(1LL)), Value()))); }
inline Value rule_928(const Arguments& a) { (void)a; return Value(truth(predicates_floating(a.dtype("self"))) || truth(predicates_integral(a.dtype("self")))); }
inline Value rule_929(const Arguments& a) { (void)a; return (slice(a["input"], Value(), (functions_rank(a["input"]) - Value(1LL))) + Value::list({floordiv(at(a["input"], (functions_rank(a["input"]) - Value(1LL))), Value(2LL))})); }
inline Value rule_930(const Arguments& a) { (void)a; return Value(truth((functions_rank(a["input"]) > Value(0LL))) && truth(((at(a["input"], (functions_rank(a["input"]) - Value(1LL))) % Value(2LL)) == Value(0LL)))); }
inline Value rule_931(const Arguments& a) { (void)a; return (a["cap"] > Value(0LL)); }
inline Value rule_932(const Arguments& a) { (void)a; return a["up"]; }
inline Value rule_933(const Arguments& a) { (void)a; return Value(truth((a["gate"] == a["up"])) && truth((a["grad_output"] == a["gate"]))); }

inline const std::vector<Operator>& operators() {
  static const std::vector<Operator> all = {
    {"_c10d_functional.all_gather_into_tensor.default", {rule_0}, {
      {"_c10d_functional.all_gather_into_tensor.C1", "there is a dimension to gather along", rule_1},
      {"_c10d_functional.all_gather_into_tensor.C2", "the group has members", rule_2}}},
    {"_c10d_functional.all_gather_into_tensor_coalesced.default", {rule_3}, {
      {"_c10d_functional.all_gather_into_tensor_coalesced.C1", "there are tensors", rule_4},
      {"_c10d_functional.all_gather_into_tensor_coalesced.C2", "the group has members", rule_2}}},
    {"_c10d_functional.all_reduce.default", {rule_5}, {
      {"_c10d_functional.all_reduce.C1", "the reduction is one of sum, avg, max, min, product", rule_6},
      {"_c10d_functional.all_reduce.C2", "a mean is of floating values", rule_7}}},
    {"_c10d_functional.all_reduce_coalesced.default", {rule_8}, {
      {"_c10d_functional.all_reduce_coalesced.C1", "there are tensors", rule_4},
      {"_c10d_functional.all_reduce_coalesced.C2", "the reduction is one of sum, avg, max, min, product", rule_6},
      {"_c10d_functional.all_reduce_coalesced.C3", "a mean is of floating values", rule_9}}},
    {"_c10d_functional.all_to_all_single.default", {rule_10}, {
      {"_c10d_functional.all_to_all_single.C1", "there is a dimension to divide", rule_1},
      {"_c10d_functional.all_to_all_single.C2", "one part a member", rule_11},
      {"_c10d_functional.all_to_all_single.C3", "the parts make up the first dimension", rule_12}}},
    {"_c10d_functional.broadcast.default", {rule_5}, {
      {"_c10d_functional.broadcast.C1", "a rank", rule_13}}},
    {"_c10d_functional.reduce_scatter_tensor.default", {rule_14}, {
      {"_c10d_functional.reduce_scatter_tensor.C1", "the group has members", rule_2},
      {"_c10d_functional.reduce_scatter_tensor.C2", "the first dimension divides among the members of the group", rule_15},
      {"_c10d_functional.reduce_scatter_tensor.C3", "the reduction is one of sum, avg, max, min, product", rule_6},
      {"_c10d_functional.reduce_scatter_tensor.C4", "a mean is of floating values", rule_7}}},
    {"_c10d_functional.reduce_scatter_tensor_coalesced.default", {rule_16}, {
      {"_c10d_functional.reduce_scatter_tensor_coalesced.C1", "there are tensors", rule_4},
      {"_c10d_functional.reduce_scatter_tensor_coalesced.C2", "the group has members", rule_2},
      {"_c10d_functional.reduce_scatter_tensor_coalesced.C3", "the reduction is one of sum, avg, max, min, product", rule_6},
      {"_c10d_functional.reduce_scatter_tensor_coalesced.C4", "a mean is of floating values", rule_9}}},
    {"_c10d_functional.wait_tensor.default", {rule_17}, {}},
    {"_c10d_functional_autograd.all_gather_into_tensor.default", {rule_0}, {
      {"_c10d_functional_autograd.all_gather_into_tensor.C1", "there is a dimension to gather along", rule_1},
      {"_c10d_functional_autograd.all_gather_into_tensor.C2", "the group has members", rule_2}}},
    {"_c10d_functional_autograd.all_to_all_single.default", {rule_10}, {
      {"_c10d_functional_autograd.all_to_all_single.C1", "there is a dimension to divide", rule_1},
      {"_c10d_functional_autograd.all_to_all_single.C2", "one part a member", rule_11},
      {"_c10d_functional_autograd.all_to_all_single.C3", "the parts make up the first dimension", rule_12}}},
    {"_c10d_functional_autograd.reduce_scatter_tensor.default", {rule_14}, {
      {"_c10d_functional_autograd.reduce_scatter_tensor.C1", "the group has members", rule_2},
      {"_c10d_functional_autograd.reduce_scatter_tensor.C2", "the first dimension divides among the members of the group", rule_15},
      {"_c10d_functional_autograd.reduce_scatter_tensor.C3", "the reduction is one of sum, avg, max, min, product", rule_6},
      {"_c10d_functional_autograd.reduce_scatter_tensor.C4", "a mean is of floating values", rule_7}}},
    {"aten.__lshift__.Scalar", {rule_18}, {}},
    {"aten.__lshift__.Tensor", {rule_19}, {}},
    {"aten.__rshift__.Scalar", {rule_18}, {}},
    {"aten.__rshift__.Tensor", {rule_19}, {}},
    {"aten._adaptive_avg_pool2d.default", {rule_20}, {
      {"_adaptive_avg_pool2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"_adaptive_avg_pool2d.C2", "no spatial dimension is empty", rule_22},
      {"_adaptive_avg_pool2d.C3", "one output size per spatial dimension", rule_23}}},
    {"aten._adaptive_avg_pool2d_backward.default", {rule_18}, {
      {"_adaptive_avg_pool2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"_adaptive_avg_pool2d_backward.C2", "no spatial dimension is empty", rule_22},
      {"_adaptive_avg_pool2d_backward.C3", "the gradient has the input's leading dimensions", rule_24},
      {"_adaptive_avg_pool2d_backward.C4", "the pooled sizes are positive", rule_25}}},
    {"aten._adaptive_avg_pool3d.default", {rule_26}, {
      {"_adaptive_avg_pool3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"_adaptive_avg_pool3d.C2", "no spatial dimension is empty", rule_28},
      {"_adaptive_avg_pool3d.C3", "one output size per spatial dimension", rule_29}}},
    {"aten._adaptive_avg_pool3d_backward.default", {rule_18}, {
      {"_adaptive_avg_pool3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"_adaptive_avg_pool3d_backward.C2", "no spatial dimension is empty", rule_28},
      {"_adaptive_avg_pool3d_backward.C3", "the gradient has the input's leading dimensions", rule_30},
      {"_adaptive_avg_pool3d_backward.C4", "the pooled sizes are positive", rule_31}}},
    {"aten._add_relu.Scalar", {rule_18}, {}},
    {"aten._add_relu.Tensor", {rule_19}, {
      {"_add_relu.Tensor.C1", "both operands have one dtype", rule_32}}},
    {"aten._addmm_activation.default", {rule_33}, {
      {"_addmm_activation.C1", "both factors are matrices", rule_34},
      {"_addmm_activation.C2", "the inner sizes are equal", rule_35},
      {"_addmm_activation.C3", "the addend is a vector or a matrix", rule_36},
      {"_addmm_activation.C4", "the addend broadcasts to the product", rule_37},
      {"_addmm_activation.C5", "gelu is a function of floats", rule_38}}},
    {"aten._aminmax.default", {rule_39, rule_39}, {
      {"_aminmax.C1", "an empty tensor has no extreme", rule_40}}},
    {"aten._aminmax.dim", {rule_41, rule_41}, {
      {"_aminmax.dim.C1", "dimensions exist and are listed once", rule_42},
      {"_aminmax.dim.C2", "something is there to be reduced", rule_43}}},
    {"aten._amp_foreach_non_finite_check_and_unscale.default", {rule_18, rule_44}, {
      {"_amp_foreach_non_finite_check_and_unscale.C1", "there are gradients", rule_45},
      {"_amp_foreach_non_finite_check_and_unscale.C2", "one flag and one scale", rule_46}}},
    {"aten._amp_update_scale.default", {rule_18, rule_47}, {
      {"_amp_update_scale.C1", "single numbers", rule_48}}},
    {"aten._assert_async.default", {}, {
      {"_assert_async.C1", "the condition is one element", rule_49}}},
    {"aten._assert_async.msg", {}, {
      {"_assert_async.msg.C1", "the condition is one element", rule_49}}},
    {"aten._assert_scalar.default", {}, {}},
    {"aten._assert_tensor_metadata.default", {}, {
      {"_assert_tensor_metadata.C1", "the sizes are these", rule_50},
      {"_assert_tensor_metadata.C2", "the dtype is this", rule_51}}},
    {"aten._batch_norm_no_update.default", {rule_5, rule_52, rule_52, rule_52}, {
      {"_batch_norm_no_update.C1", "the input is [N, C, …]", rule_53},
      {"_batch_norm_no_update.C2", "the input has elements", rule_54},
      {"_batch_norm_no_update.C3", "weight has shape input[1:2]", rule_55},
      {"_batch_norm_no_update.C4", "bias has shape input[1:2]", rule_56},
      {"_batch_norm_no_update.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"_batch_norm_no_update.C6", "running statistics exist", rule_58},
      {"_batch_norm_no_update.C7", "one running mean and variance per channel", rule_59}}},
    {"aten._batch_norm_with_update_functional.default", {rule_5, rule_60, rule_60, rule_52, rule_61, rule_62}, {
      {"_batch_norm_with_update_functional.C1", "the input is [N, C, …]", rule_53},
      {"_batch_norm_with_update_functional.C2", "the input has elements", rule_54},
      {"_batch_norm_with_update_functional.C3", "weight has shape input[1:2]", rule_55},
      {"_batch_norm_with_update_functional.C4", "bias has shape input[1:2]", rule_56},
      {"_batch_norm_with_update_functional.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"_batch_norm_with_update_functional.C6", "one running mean and variance per channel", rule_59}}},
    {"aten._cdist_backward.default", {rule_63}, {
      {"_cdist_backward.C1", "rows of both have one length", rule_64},
      {"_cdist_backward.C2", "the order is not negative", rule_65},
      {"_cdist_backward.C3", "there is a gradient for each pair", rule_66},
      {"_cdist_backward.C4", "there is a distance for each pair", rule_67}}},
    {"aten._cdist_forward.default", {rule_68}, {
      {"_cdist_forward.C1", "rows of both have one length", rule_64},
      {"_cdist_forward.C2", "the order is not negative", rule_65},
      {"_cdist_forward.C3", "a matrix product is used if there are many rows, always, or never", rule_69}}},
    {"aten._cholesky_solve_helper.default", {rule_18}, {
      {"_cholesky_solve_helper.C1", "the matrices are square", rule_70},
      {"_cholesky_solve_helper.C2", "the right-hand sides have a row for each equation", rule_71},
      {"_cholesky_solve_helper.C3", "both have one batch", rule_72}}},
    {"aten._chunk_cat.default", {rule_73}, {
      {"_chunk_cat.C1", "there is something to join", rule_74},
      {"_chunk_cat.C2", "there is a chunk", rule_75},
      {"_chunk_cat.C3", "a dimension counted from the end is one for all", rule_76}}},
    {"aten._conj.default", {rule_18}, {}},
    {"aten._conj_copy.default", {rule_18}, {}},
    {"aten._conj_physical.default", {rule_18}, {}},
    {"aten._convert_weight_to_int4pack.default", {rule_77}, {
      {"_convert_weight_to_int4pack.C1", "rows come in tiles of 8", rule_78},
      {"_convert_weight_to_int4pack.C2", "tiles of 16 columns in a lane", rule_79},
      {"_convert_weight_to_int4pack.C3", "columns come in tiles", rule_80}}},
    {"aten._convolution.default", {rule_81}, {
      {"_convolution.C1", "the input is [N, C, *spatial] with one to three spatial dimensions", rule_82},
      {"_convolution.C2", "stride, padding and dilation have one value, or one per spatial dimension", rule_83},
      {"_convolution.C3", "the weight's first dimension divides into the groups", rule_84},
      {"_convolution.C4", "the input's channels are those the weight reads", rule_85},
      {"_convolution.C5", "the kernel has elements and is no larger than the padded input", rule_86},
      {"_convolution.C6", "one bias per output channel", rule_87},
      {"_convolution.C7", "int64 is the only integer type of dilated and of transposed convolution", rule_88}}},
    {"aten._ctc_loss.default", {rule_89, rule_90}, {
      {"_ctc_loss.C1", "log_probs is [T, B, C]", rule_91},
      {"_ctc_loss.C2", "targets are rows, or one after the other", rule_92},
      {"_ctc_loss.C3", "there is a length for each of the inputs and targets, and there is one", rule_93},
      {"_ctc_loss.C4", "inputs end within log_probs", rule_94},
      {"_ctc_loss.C5", "targets have their lengths", rule_95},
      {"_ctc_loss.C6", "the blank is a class", rule_96}}},
    {"aten._ctc_loss_backward.default", {rule_97}, {
      {"_ctc_loss_backward.C1", "log_probs is [T, B, C]", rule_91},
      {"_ctc_loss_backward.C2", "targets are rows, or one after the other", rule_92},
      {"_ctc_loss_backward.C3", "there is a length for each of the inputs and targets, and there is one", rule_93},
      {"_ctc_loss_backward.C4", "inputs end within log_probs", rule_94},
      {"_ctc_loss_backward.C5", "targets have their lengths", rule_95},
      {"_ctc_loss_backward.C6", "the blank is a class", rule_96},
      {"_ctc_loss_backward.C7", "one loss and gradient for each target", rule_98},
      {"_ctc_loss_backward.C8", "the forward variables of every step and state", rule_99}}},
    {"aten._dirichlet_grad.default", {rule_100}, {
      {"_dirichlet_grad.C1", "the operands have one shape", rule_101}}},
    {"aten._efficient_attention_forward.default", {rule_102, rule_103, rule_104, rule_104, rule_105, rule_105}, {
      {"_efficient_attention_forward.C1", "key and value have one shape", rule_106},
      {"_efficient_attention_forward.C2", "query and key share batch and width", rule_107},
      {"_efficient_attention_forward.C3", "the heads are as many", rule_108},
      {"_efficient_attention_forward.C4", "no size is 0", rule_109},
      {"_efficient_attention_forward.C5", "a probability of being dropped", rule_110},
      {"_efficient_attention_forward.C6", "the bias broadcasts to the scores", rule_111},
      {"_efficient_attention_forward.C7", "no mask, or causal from the first key", rule_112},
      {"_efficient_attention_forward.C8", "the sequences of a batch have one length", rule_113},
      {"_efficient_attention_forward.C9", "every query sees every key, or every earlier one", rule_114}}},
    {"aten._efficientzerotensor.default", {rule_115}, {}},
    {"aten._embedding_bag.default", {rule_116, rule_117, rule_118, rule_119}, {
      {"_embedding_bag.C1", "the table is a matrix", rule_120},
      {"_embedding_bag.C2", "indices and offsets are vectors", rule_121},
      {"_embedding_bag.C3", "gradients are dense", rule_122},
      {"_embedding_bag.C4", "only sums are weighted", rule_123},
      {"_embedding_bag.C5", "there is a weight for each element", rule_124},
      {"_embedding_bag.C6", "there is a bag", rule_125},
      {"_embedding_bag.C7", "there is a bag, where there are elements", rule_126}}},
    {"aten._embedding_bag_backward.default", {rule_127}, {
      {"_embedding_bag_backward.C1", "one gradient row for each bag", rule_128},
      {"_embedding_bag_backward.C2", "only sums are weighted", rule_123},
      {"_embedding_bag_backward.C3", "there is a weight for each element", rule_124},
      {"_embedding_bag_backward.C4", "maxima have the row of each value", rule_129},
      {"_embedding_bag_backward.C5", "there is a size for each bag", rule_130},
      {"_embedding_bag_backward.C6", "maxima are not scaled", rule_131},
      {"_embedding_bag_backward.C7", "indices and offsets are vectors", rule_121},
      {"_embedding_bag_backward.C8", "gradients are dense", rule_122}}},
    {"aten._embedding_bag_dense_backward.default", {rule_127}, {
      {"_embedding_bag_dense_backward.C1", "one gradient row for each bag", rule_128},
      {"_embedding_bag_dense_backward.C2", "only sums are weighted", rule_123},
      {"_embedding_bag_dense_backward.C3", "there is a weight for each element", rule_124},
      {"_embedding_bag_dense_backward.C4", "maxima have the row of each value", rule_129},
      {"_embedding_bag_dense_backward.C5", "there is a size for each bag", rule_130},
      {"_embedding_bag_dense_backward.C6", "maxima are not scaled", rule_131},
      {"_embedding_bag_dense_backward.C7", "there is a bag for each element", rule_132}}},
    {"aten._embedding_bag_forward_only.default", {rule_116, rule_117, rule_118, rule_119}, {
      {"_embedding_bag_forward_only.C1", "the table is a matrix", rule_120},
      {"_embedding_bag_forward_only.C2", "indices and offsets are vectors", rule_121},
      {"_embedding_bag_forward_only.C3", "gradients are dense", rule_122},
      {"_embedding_bag_forward_only.C4", "only sums are weighted", rule_123},
      {"_embedding_bag_forward_only.C5", "there is a weight for each element", rule_124},
      {"_embedding_bag_forward_only.C6", "there is a bag", rule_125},
      {"_embedding_bag_forward_only.C7", "there is a bag, where there are elements", rule_126}}},
    {"aten._embedding_bag_per_sample_weights_backward.default", {rule_133}, {
      {"_embedding_bag_per_sample_weights_backward.C1", "gradient and table are matrices", rule_134},
      {"_embedding_bag_per_sample_weights_backward.C2", "gradient and table have the same columns", rule_135},
      {"_embedding_bag_per_sample_weights_backward.C3", "indices and offsets are vectors", rule_121},
      {"_embedding_bag_per_sample_weights_backward.C4", "only sums are weighted", rule_136}}},
    {"aten._euclidean_dist.default", {rule_68}, {
      {"_euclidean_dist.C1", "rows of both have one length", rule_64}}},
    {"aten._fake_quantize_learnable_per_channel_affine.default", {rule_18}, {
      {"_fake_quantize_learnable_per_channel_affine.C1", "the range is not empty", rule_137},
      {"_fake_quantize_learnable_per_channel_affine.C2", "the channel axis exists, counted from the front", rule_138},
      {"_fake_quantize_learnable_per_channel_affine.C3", "one scale and zero point for each channel", rule_139}}},
    {"aten._fake_quantize_learnable_per_channel_affine_backward.default", {rule_18, rule_140, rule_140}, {
      {"_fake_quantize_learnable_per_channel_affine_backward.C1", "the gradient has the shape of the input", rule_141},
      {"_fake_quantize_learnable_per_channel_affine_backward.C2", "the range is not empty", rule_142},
      {"_fake_quantize_learnable_per_channel_affine_backward.C3", "the channel axis exists, counted from the front", rule_138},
      {"_fake_quantize_learnable_per_channel_affine_backward.C4", "one scale and zero point for each channel", rule_139},
      {"_fake_quantize_learnable_per_channel_affine_backward.C5", "there is something to be summed", rule_143}}},
    {"aten._fake_quantize_learnable_per_tensor_affine.default", {rule_18}, {
      {"_fake_quantize_learnable_per_tensor_affine.C1", "the range is not empty", rule_137},
      {"_fake_quantize_learnable_per_tensor_affine.C2", "one scale and zero point", rule_144}}},
    {"aten._fake_quantize_learnable_per_tensor_affine_backward.default", {rule_18, rule_145, rule_145}, {
      {"_fake_quantize_learnable_per_tensor_affine_backward.C1", "the gradient has the shape of the input", rule_141},
      {"_fake_quantize_learnable_per_tensor_affine_backward.C2", "the range is not empty", rule_142},
      {"_fake_quantize_learnable_per_tensor_affine_backward.C3", "one scale and zero point", rule_144}}},
    {"aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default", {rule_18, rule_18}, {
      {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams.C1", "the range is not empty", rule_137},
      {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams.C2", "one scale and zero point", rule_144},
      {"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams.C3", "one switch", rule_146}}},
    {"aten._fft_c2c.default", {rule_18}, {
      {"_fft_c2c.C1", "the dimensions exist and are listed once", rule_42},
      {"_fft_c2c.C2", "no scale, by the root of the length, by the length", rule_147},
      {"_fft_c2c.C3", "something is there to be transformed", rule_148}}},
    {"aten._fft_c2r.default", {rule_149}, {
      {"_fft_c2r.C1", "the dimensions exist and are listed once", rule_42},
      {"_fft_c2r.C2", "no scale, by the root of the length, by the length", rule_147},
      {"_fft_c2r.C3", "something is there to be transformed", rule_150},
      {"_fft_c2r.C4", "the last dimension is half of the spectrum of the result", rule_151}}},
    {"aten._fft_r2c.default", {rule_152}, {
      {"_fft_r2c.C1", "the dimensions exist and are listed once", rule_42},
      {"_fft_r2c.C2", "no scale, by the root of the length, by the length", rule_147},
      {"_fft_r2c.C3", "something is there to be transformed", rule_153}}},
    {"aten._flash_attention_backward.default", {rule_102, rule_154, rule_155}, {
      {"_flash_attention_backward.C1", "key and value have one shape", rule_106},
      {"_flash_attention_backward.C2", "query and key share batch and width", rule_107},
      {"_flash_attention_backward.C3", "the query heads are a multiple of the key heads", rule_156},
      {"_flash_attention_backward.C4", "no size is 0", rule_109},
      {"_flash_attention_backward.C5", "a probability of being dropped", rule_110},
      {"_flash_attention_backward.C6", "a causal mask is of as many keys as queries", rule_157},
      {"_flash_attention_backward.C7", "the gradient has the shape of the query", rule_158},
      {"_flash_attention_backward.C8", "the result has the shape of the query", rule_159},
      {"_flash_attention_backward.C9", "one logsumexp for each row", rule_160},
      {"_flash_attention_backward.C10", "every query sees every key", rule_161}}},
    {"aten._flash_attention_forward.default", {rule_102, rule_162, rule_163, rule_104, rule_52}, {
      {"_flash_attention_forward.C1", "key and value have one shape", rule_106},
      {"_flash_attention_forward.C2", "query and key share batch and width", rule_107},
      {"_flash_attention_forward.C3", "the query heads are a multiple of the key heads", rule_156},
      {"_flash_attention_forward.C4", "no size is 0", rule_109},
      {"_flash_attention_forward.C5", "a probability of being dropped", rule_110},
      {"_flash_attention_forward.C6", "a causal mask is of as many keys as queries", rule_157},
      {"_flash_attention_forward.C7", "the mask for debugging is not part of the contract", rule_164},
      {"_flash_attention_forward.C8", "the sequences of a batch have one length", rule_165},
      {"_flash_attention_forward.C9", "every query sees every key, or every earlier one", rule_166}}},
    {"aten._foreach_abs.default", {rule_18}, {
      {"_foreach_abs.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_acos.default", {rule_18}, {
      {"_foreach_acos.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_add.List", {rule_167}, {
      {"_foreach_add.List.C1", "the lists hold tensors", rule_45},
      {"_foreach_add.List.C2", "the lists have one length", rule_168}}},
    {"aten._foreach_add.Scalar", {rule_18}, {
      {"_foreach_add.Scalar.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_add.ScalarList", {rule_18}, {
      {"_foreach_add.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_add.ScalarList.C2", "the lists have one length", rule_169}}},
    {"aten._foreach_add.Tensor", {rule_167}, {
      {"_foreach_add.Tensor.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_addcdiv.Scalar", {rule_170}, {
      {"_foreach_addcdiv.Scalar.C1", "the lists hold tensors", rule_45},
      {"_foreach_addcdiv.Scalar.C2", "the lists have one length", rule_171},
      {"_foreach_addcdiv.Scalar.C3", "the lists have one length", rule_172},
      {"_foreach_addcdiv.Scalar.C4", "one of the operands of the division is not an integer", rule_173},
      {"_foreach_addcdiv.Scalar.C5", "the factor of integers is an integer", rule_174}}},
    {"aten._foreach_addcdiv.ScalarList", {rule_170}, {
      {"_foreach_addcdiv.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_addcdiv.ScalarList.C2", "the lists have one length", rule_171},
      {"_foreach_addcdiv.ScalarList.C3", "the lists have one length", rule_172},
      {"_foreach_addcdiv.ScalarList.C4", "the lists have one length", rule_169},
      {"_foreach_addcdiv.ScalarList.C5", "one of the operands of the division is not an integer", rule_173},
      {"_foreach_addcdiv.ScalarList.C6", "the tensors are floating or complex", rule_175}}},
    {"aten._foreach_addcdiv.Tensor", {rule_170}, {
      {"_foreach_addcdiv.Tensor.C1", "the lists hold tensors", rule_45},
      {"_foreach_addcdiv.Tensor.C2", "the lists have one length", rule_176},
      {"_foreach_addcdiv.Tensor.C3", "one factor for each position", rule_177}}},
    {"aten._foreach_addcmul.Scalar", {rule_170}, {
      {"_foreach_addcmul.Scalar.C1", "the lists hold tensors", rule_45},
      {"_foreach_addcmul.Scalar.C2", "the lists have one length", rule_171},
      {"_foreach_addcmul.Scalar.C3", "the lists have one length", rule_172},
      {"_foreach_addcmul.Scalar.C4", "integers have a whole factor", rule_178},
      {"_foreach_addcmul.Scalar.C5", "the factor of integers is an integer", rule_174}}},
    {"aten._foreach_addcmul.ScalarList", {rule_170}, {
      {"_foreach_addcmul.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_addcmul.ScalarList.C2", "the lists have one length", rule_171},
      {"_foreach_addcmul.ScalarList.C3", "the lists have one length", rule_172},
      {"_foreach_addcmul.ScalarList.C4", "the lists have one length", rule_169},
      {"_foreach_addcmul.ScalarList.C5", "the tensors are floating or complex", rule_175}}},
    {"aten._foreach_addcmul.Tensor", {rule_170}, {
      {"_foreach_addcmul.Tensor.C1", "the lists hold tensors", rule_45},
      {"_foreach_addcmul.Tensor.C2", "the lists have one length", rule_176},
      {"_foreach_addcmul.Tensor.C3", "one factor for each position", rule_177}}},
    {"aten._foreach_asin.default", {rule_18}, {
      {"_foreach_asin.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_atan.default", {rule_18}, {
      {"_foreach_atan.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_ceil.default", {rule_18}, {
      {"_foreach_ceil.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_clamp_max.List", {rule_167}, {
      {"_foreach_clamp_max.List.C1", "the lists hold tensors", rule_45},
      {"_foreach_clamp_max.List.C2", "the lists have one length", rule_168}}},
    {"aten._foreach_clamp_max.Scalar", {rule_18}, {
      {"_foreach_clamp_max.Scalar.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_clamp_max.ScalarList", {rule_18}, {
      {"_foreach_clamp_max.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_clamp_max.ScalarList.C2", "the lists have one length", rule_169}}},
    {"aten._foreach_clamp_min.List", {rule_167}, {
      {"_foreach_clamp_min.List.C1", "the lists hold tensors", rule_45},
      {"_foreach_clamp_min.List.C2", "the lists have one length", rule_168}}},
    {"aten._foreach_clamp_min.Scalar", {rule_18}, {
      {"_foreach_clamp_min.Scalar.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_clamp_min.ScalarList", {rule_18}, {
      {"_foreach_clamp_min.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_clamp_min.ScalarList.C2", "the lists have one length", rule_169}}},
    {"aten._foreach_clone.default", {rule_18}, {
      {"_foreach_clone.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_copy.default", {rule_18}, {
      {"_foreach_copy.C1", "the lists hold tensors", rule_45},
      {"_foreach_copy.C2", "the lists have one length", rule_179}}},
    {"aten._foreach_cos.default", {rule_18}, {
      {"_foreach_cos.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_cosh.default", {rule_18}, {
      {"_foreach_cosh.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_div.List", {rule_167}, {
      {"_foreach_div.List.C1", "the lists hold tensors", rule_45},
      {"_foreach_div.List.C2", "the lists have one length", rule_168}}},
    {"aten._foreach_div.Scalar", {rule_18}, {
      {"_foreach_div.Scalar.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_div.ScalarList", {rule_18}, {
      {"_foreach_div.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_div.ScalarList.C2", "the lists have one length", rule_169}}},
    {"aten._foreach_div.Tensor", {rule_167}, {
      {"_foreach_div.Tensor.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_erf.default", {rule_18}, {
      {"_foreach_erf.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_erfc.default", {rule_18}, {
      {"_foreach_erfc.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_exp.default", {rule_18}, {
      {"_foreach_exp.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_expm1.default", {rule_18}, {
      {"_foreach_expm1.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_floor.default", {rule_18}, {
      {"_foreach_floor.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_frac.default", {rule_18}, {
      {"_foreach_frac.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_lerp.List", {rule_180}, {
      {"_foreach_lerp.List.C1", "the lists hold tensors", rule_45},
      {"_foreach_lerp.List.C2", "the lists have one length", rule_181},
      {"_foreach_lerp.List.C3", "the lists have one length", rule_182},
      {"_foreach_lerp.List.C4", "all operands have one dtype", rule_183},
      {"_foreach_lerp.List.C5", "all operands have one dtype", rule_184}}},
    {"aten._foreach_lerp.Scalar", {rule_185}, {
      {"_foreach_lerp.Scalar.C1", "the lists hold tensors", rule_45},
      {"_foreach_lerp.Scalar.C2", "the lists have one length", rule_181},
      {"_foreach_lerp.Scalar.C3", "all operands have one dtype", rule_183}}},
    {"aten._foreach_lerp.ScalarList", {rule_185}, {
      {"_foreach_lerp.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_lerp.ScalarList.C2", "the lists have one length", rule_181},
      {"_foreach_lerp.ScalarList.C3", "the lists have one length", rule_186},
      {"_foreach_lerp.ScalarList.C4", "all operands have one dtype", rule_183}}},
    {"aten._foreach_lgamma.default", {rule_18}, {
      {"_foreach_lgamma.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_log.default", {rule_18}, {
      {"_foreach_log.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_log10.default", {rule_18}, {
      {"_foreach_log10.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_log1p.default", {rule_18}, {
      {"_foreach_log1p.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_log2.default", {rule_18}, {
      {"_foreach_log2.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_max.default", {rule_187}, {
      {"_foreach_max.C1", "the lists hold tensors", rule_45},
      {"_foreach_max.C2", "every tensor has elements", rule_188}}},
    {"aten._foreach_maximum.List", {rule_167}, {
      {"_foreach_maximum.List.C1", "the lists hold tensors", rule_45},
      {"_foreach_maximum.List.C2", "the lists have one length", rule_168}}},
    {"aten._foreach_maximum.Scalar", {rule_18}, {
      {"_foreach_maximum.Scalar.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_maximum.ScalarList", {rule_18}, {
      {"_foreach_maximum.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_maximum.ScalarList.C2", "the lists have one length", rule_169}}},
    {"aten._foreach_minimum.List", {rule_167}, {
      {"_foreach_minimum.List.C1", "the lists hold tensors", rule_45},
      {"_foreach_minimum.List.C2", "the lists have one length", rule_168}}},
    {"aten._foreach_minimum.Scalar", {rule_18}, {
      {"_foreach_minimum.Scalar.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_minimum.ScalarList", {rule_18}, {
      {"_foreach_minimum.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_minimum.ScalarList.C2", "the lists have one length", rule_169}}},
    {"aten._foreach_mm.default", {rule_189}, {
      {"_foreach_mm.C1", "the lists hold tensors", rule_45},
      {"_foreach_mm.C2", "the lists have one length", rule_190},
      {"_foreach_mm.C3", "the inner sizes agree", rule_191}}},
    {"aten._foreach_mul.List", {rule_167}, {
      {"_foreach_mul.List.C1", "the lists hold tensors", rule_45},
      {"_foreach_mul.List.C2", "the lists have one length", rule_168}}},
    {"aten._foreach_mul.Scalar", {rule_18}, {
      {"_foreach_mul.Scalar.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_mul.ScalarList", {rule_18}, {
      {"_foreach_mul.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_mul.ScalarList.C2", "the lists have one length", rule_169}}},
    {"aten._foreach_mul.Tensor", {rule_167}, {
      {"_foreach_mul.Tensor.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_neg.default", {rule_18}, {
      {"_foreach_neg.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_norm.Scalar", {rule_187}, {
      {"_foreach_norm.Scalar.C1", "the list holds tensors", rule_45},
      {"_foreach_norm.Scalar.C2", "every tensor has elements", rule_188}}},
    {"aten._foreach_pow.List", {rule_192}, {
      {"_foreach_pow.List.C1", "the lists hold tensors", rule_45},
      {"_foreach_pow.List.C2", "the lists have one length", rule_193}}},
    {"aten._foreach_pow.Scalar", {rule_18}, {
      {"_foreach_pow.Scalar.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_pow.ScalarAndTensor", {rule_194}, {
      {"_foreach_pow.ScalarAndTensor.C1", "the lists hold tensors", rule_195}}},
    {"aten._foreach_pow.ScalarList", {rule_18}, {
      {"_foreach_pow.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_pow.ScalarList.C2", "the lists have one length", rule_193}}},
    {"aten._foreach_powsum.Scalar", {rule_187}, {
      {"_foreach_powsum.Scalar.C1", "the list holds tensors", rule_45},
      {"_foreach_powsum.Scalar.C2", "every tensor has elements", rule_188}}},
    {"aten._foreach_reciprocal.default", {rule_18}, {
      {"_foreach_reciprocal.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_round.default", {rule_18}, {
      {"_foreach_round.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_rsqrt.default", {rule_18}, {
      {"_foreach_rsqrt.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_sigmoid.default", {rule_18}, {
      {"_foreach_sigmoid.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_sign.default", {rule_18}, {
      {"_foreach_sign.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_sin.default", {rule_18}, {
      {"_foreach_sin.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_sinh.default", {rule_18}, {
      {"_foreach_sinh.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_sqrt.default", {rule_18}, {
      {"_foreach_sqrt.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_sub.List", {rule_167}, {
      {"_foreach_sub.List.C1", "the lists hold tensors", rule_45},
      {"_foreach_sub.List.C2", "the lists have one length", rule_168}}},
    {"aten._foreach_sub.Scalar", {rule_18}, {
      {"_foreach_sub.Scalar.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_sub.ScalarList", {rule_18}, {
      {"_foreach_sub.ScalarList.C1", "the lists hold tensors", rule_45},
      {"_foreach_sub.ScalarList.C2", "the lists have one length", rule_169}}},
    {"aten._foreach_tan.default", {rule_18}, {
      {"_foreach_tan.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_tanh.default", {rule_18}, {
      {"_foreach_tanh.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_trunc.default", {rule_18}, {
      {"_foreach_trunc.C1", "the lists hold tensors", rule_45}}},
    {"aten._foreach_zero.default", {rule_18}, {
      {"_foreach_zero.C1", "the list holds tensors", rule_45}}},
    {"aten._functional_assert_async.msg", {rule_196}, {
      {"_functional_assert_async.msg.C1", "the condition is one element", rule_49}}},
    {"aten._functional_assert_scalar.default", {rule_196}, {}},
    {"aten._functional_sym_constrain_range.default", {rule_196}, {
      {"_functional_sym_constrain_range.C1", "the number lies in the range", rule_197}}},
    {"aten._functional_sym_constrain_range_for_size.default", {rule_196}, {
      {"_functional_sym_constrain_range_for_size.C1", "the number lies in the range", rule_197},
      {"_functional_sym_constrain_range_for_size.C2", "sizes are not negative", rule_198}}},
    {"aten._fused_adagrad.default", {rule_18, rule_199, rule_200, rule_201}, {
      {"_fused_adagrad.C1", "there are parameters", rule_45},
      {"_fused_adagrad.C2", "the lists have one length", rule_202},
      {"_fused_adagrad.C3", "the lists have one length", rule_203},
      {"_fused_adagrad.C4", "the lists have one length", rule_204}}},
    {"aten._fused_adagrad.tensor_lr", {rule_18, rule_199, rule_200}, {
      {"_fused_adagrad.tensor_lr.C1", "there are parameters", rule_45},
      {"_fused_adagrad.tensor_lr.C2", "the lists have one length", rule_202},
      {"_fused_adagrad.tensor_lr.C3", "the lists have one length", rule_203},
      {"_fused_adagrad.tensor_lr.C4", "the lists have one length", rule_204}}},
    {"aten._fused_adam.default", {rule_18, rule_199, rule_205, rule_206, rule_207}, {
      {"_fused_adam.C1", "there are parameters", rule_45},
      {"_fused_adam.C2", "the lists have one length", rule_202},
      {"_fused_adam.C3", "the lists have one length", rule_208},
      {"_fused_adam.C4", "the lists have one length", rule_209},
      {"_fused_adam.C5", "the lists have one length", rule_204},
      {"_fused_adam.C6", "state is kept where it is used", rule_210}}},
    {"aten._fused_adam.tensor_lr", {rule_18, rule_199, rule_205, rule_206, rule_207}, {
      {"_fused_adam.tensor_lr.C1", "there are parameters", rule_45},
      {"_fused_adam.tensor_lr.C2", "the lists have one length", rule_202},
      {"_fused_adam.tensor_lr.C3", "the lists have one length", rule_208},
      {"_fused_adam.tensor_lr.C4", "the lists have one length", rule_209},
      {"_fused_adam.tensor_lr.C5", "the lists have one length", rule_204},
      {"_fused_adam.tensor_lr.C6", "state is kept where it is used", rule_210}}},
    {"aten._fused_adamw.default", {rule_18, rule_199, rule_205, rule_206, rule_207}, {
      {"_fused_adamw.C1", "there are parameters", rule_45},
      {"_fused_adamw.C2", "the lists have one length", rule_202},
      {"_fused_adamw.C3", "the lists have one length", rule_208},
      {"_fused_adamw.C4", "the lists have one length", rule_209},
      {"_fused_adamw.C5", "the lists have one length", rule_204},
      {"_fused_adamw.C6", "state is kept where it is used", rule_210}}},
    {"aten._fused_adamw.tensor_lr", {rule_18, rule_199, rule_205, rule_206, rule_207}, {
      {"_fused_adamw.tensor_lr.C1", "there are parameters", rule_45},
      {"_fused_adamw.tensor_lr.C2", "the lists have one length", rule_202},
      {"_fused_adamw.tensor_lr.C3", "the lists have one length", rule_208},
      {"_fused_adamw.tensor_lr.C4", "the lists have one length", rule_209},
      {"_fused_adamw.tensor_lr.C5", "the lists have one length", rule_204},
      {"_fused_adamw.tensor_lr.C6", "state is kept where it is used", rule_210}}},
    {"aten._fused_dropout.default", {rule_18, rule_18}, {
      {"_fused_dropout.C1", "a probability of being kept", rule_211},
      {"_fused_dropout.C2", "the generator is the device's own", rule_212}}},
    {"aten._fused_moving_avg_obs_fq_helper_functional.default", {rule_18, rule_18, rule_213, rule_214, rule_140, rule_215}, {
      {"_fused_moving_avg_obs_fq_helper_functional.C1", "something is there to be observed", rule_216},
      {"_fused_moving_avg_obs_fq_helper_functional.C2", "the channel axis exists", rule_217},
      {"_fused_moving_avg_obs_fq_helper_functional.C3", "a channel has a dimension of its own", rule_218},
      {"_fused_moving_avg_obs_fq_helper_functional.C4", "one minimum, maximum, scale and zero point, or one for each channel", rule_219},
      {"_fused_moving_avg_obs_fq_helper_functional.C5", "the range is not empty", rule_142}}},
    {"aten._fused_rms_norm.default", {rule_5, rule_220}, {
      {"_fused_rms_norm.C1", "the input ends in normalized_shape", rule_221},
      {"_fused_rms_norm.C2", "weight has shape normalized_shape", rule_222}}},
    {"aten._fused_rms_norm_backward.default", {rule_223, rule_224}, {
      {"_fused_rms_norm_backward.C1", "the input ends in normalized_shape", rule_221},
      {"_fused_rms_norm_backward.C2", "the gradient has the shape of the input", rule_225},
      {"_fused_rms_norm_backward.C3", "one rstd per row", rule_226},
      {"_fused_rms_norm_backward.C4", "weight has shape normalized_shape", rule_222}}},
    {"aten._fused_sgd.default", {rule_18, rule_199, rule_227}, {
      {"_fused_sgd.C1", "there are parameters", rule_45},
      {"_fused_sgd.C2", "the lists have one length", rule_202},
      {"_fused_sgd.C3", "state is kept where it is used", rule_228}}},
    {"aten._fused_sgd.tensor_lr", {rule_18, rule_199, rule_227}, {
      {"_fused_sgd.tensor_lr.C1", "there are parameters", rule_45},
      {"_fused_sgd.tensor_lr.C2", "the lists have one length", rule_202},
      {"_fused_sgd.tensor_lr.C3", "state is kept where it is used", rule_228}}},
    {"aten._grouped_mm.default", {rule_229}, {
      {"_grouped_mm.C1", "the operands are matrices or batches of them", rule_230},
      {"_grouped_mm.C2", "the inner sizes agree", rule_231},
      {"_grouped_mm.C3", "ends of groups come with an operand to divide", rule_232},
      {"_grouped_mm.C4", "batches have one size", rule_233},
      {"_grouped_mm.C5", "the ends of the groups are a vector", rule_234},
      {"_grouped_mm.C6", "one end for each matrix", rule_235},
      {"_grouped_mm.C7", "one end for each matrix", rule_236},
      {"_grouped_mm.C8", "PyTorch has no bias here yet", rule_237}}},
    {"aten._histogramdd_bin_edges.default", {rule_238}, {
      {"_histogramdd_bin_edges.C1", "points have coordinates", rule_239},
      {"_histogramdd_bin_edges.C2", "there are bins for each coordinate", rule_240},
      {"_histogramdd_bin_edges.C3", "there is a weight for each point", rule_241},
      {"_histogramdd_bin_edges.C4", "there is a range for each coordinate", rule_242}}},
    {"aten._histogramdd_from_bin_cts.default", {rule_243}, {
      {"_histogramdd_from_bin_cts.C1", "points have coordinates", rule_239},
      {"_histogramdd_from_bin_cts.C2", "there are bins for each coordinate", rule_240},
      {"_histogramdd_from_bin_cts.C3", "there is a weight for each point", rule_241},
      {"_histogramdd_from_bin_cts.C4", "there is a range for each coordinate", rule_242}}},
    {"aten._histogramdd_from_bin_tensors.default", {rule_244}, {
      {"_histogramdd_from_bin_tensors.C1", "points have coordinates", rule_239},
      {"_histogramdd_from_bin_tensors.C2", "there are bins for each coordinate", rule_240},
      {"_histogramdd_from_bin_tensors.C3", "there is a weight for each point", rule_241}}},
    {"aten._index_put_impl.default", {rule_18}, {
      {"_index_put_impl.C1", "no more indices than dimensions, and masks as large as what they cover", rule_245},
      {"_index_put_impl.C2", "the values broadcast to what is indexed", rule_246}}},
    {"aten._int_mm.default", {rule_247}, {
      {"_int_mm.C1", "two matrices with one inner size", rule_248}}},
    {"aten._is_all_true.default", {rule_39}, {}},
    {"aten._is_any_true.default", {rule_39}, {}},
    {"aten._lazy_clone.default", {rule_18}, {}},
    {"aten._linalg_check_errors.default", {}, {}},
    {"aten._linalg_det.default", {rule_249, rule_250, rule_251}, {
      {"_linalg_det.C1", "the matrices are square", rule_70}}},
    {"aten._linalg_eigh.default", {rule_251, rule_252}, {
      {"_linalg_eigh.C1", "the matrices are square", rule_70},
      {"_linalg_eigh.C2", "the triangle exists", rule_253}}},
    {"aten._linalg_eigvals.default", {rule_254}, {
      {"_linalg_eigvals.C1", "the matrices are square", rule_255}}},
    {"aten._linalg_slogdet.default", {rule_249, rule_249, rule_250, rule_251}, {
      {"_linalg_slogdet.C1", "the matrices are square", rule_70}}},
    {"aten._linalg_solve_ex.default", {rule_256, rule_250, rule_251, rule_249}, {
      {"_linalg_solve_ex.C1", "the matrices are square", rule_70},
      {"_linalg_solve_ex.C2", "the right-hand sides have a row for each equation", rule_257}}},
    {"aten._linalg_svd.default", {rule_258, rule_259, rule_260}, {
      {"_linalg_svd.C1", "there are two dimensions at least", rule_261}}},
    {"aten._local_scalar_dense.default", {rule_104}, {
      {"_local_scalar_dense.C1", "there is exactly one element", rule_49}}},
    {"aten._log_softmax.default", {rule_18}, {
      {"_log_softmax.C1", "the normalized dimension exists", rule_262},
      {"_log_softmax.C2", "half_to_float widens 16-bit floats only", rule_263}}},
    {"aten._log_softmax_backward_data.default", {rule_264}, {
      {"_log_softmax_backward_data.C1", "the normalized dimension exists", rule_265},
      {"_log_softmax_backward_data.C2", "the gradient has the shape of the result", rule_266}}},
    {"aten._logcumsumexp.default", {rule_18}, {
      {"_logcumsumexp.C1", "the dimension exists", rule_262}}},
    {"aten._make_dep_token.default", {rule_104}, {}},
    {"aten._masked_scale.default", {rule_18}, {
      {"_masked_scale.C1", "one flag for each element", rule_267}}},
    {"aten._masked_softmax.default", {rule_18}, {
      {"_masked_softmax.C1", "the normalized dimension exists", rule_268},
      {"_masked_softmax.C2", "the mask is one of rows, of padding, or of the input's shape", rule_269},
      {"_masked_softmax.C3", "the mask has the shape of its type", rule_270},
      {"_masked_softmax.C4", "scores are [B, heads, L, L]", rule_271}}},
    {"aten._masked_softmax_backward.default", {rule_264}, {
      {"_masked_softmax_backward.C1", "the normalized dimension exists", rule_272},
      {"_masked_softmax_backward.C2", "all have the shape of the result", rule_273}}},
    {"aten._native_batch_norm_legit.no_stats", {rule_5, rule_60, rule_60}, {
      {"_native_batch_norm_legit.no_stats.C1", "the input is [N, C, …]", rule_53},
      {"_native_batch_norm_legit.no_stats.C2", "the input has elements", rule_54},
      {"_native_batch_norm_legit.no_stats.C3", "weight has shape input[1:2]", rule_55},
      {"_native_batch_norm_legit.no_stats.C4", "bias has shape input[1:2]", rule_56},
      {"_native_batch_norm_legit.no_stats.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"_native_batch_norm_legit.no_stats.C6", "there are no running statistics to use instead", rule_274}}},
    {"aten._native_batch_norm_legit_functional.default", {rule_5, rule_275, rule_275, rule_61, rule_62}, {
      {"_native_batch_norm_legit_functional.C1", "the input is [N, C, …]", rule_53},
      {"_native_batch_norm_legit_functional.C2", "the input has elements", rule_54},
      {"_native_batch_norm_legit_functional.C3", "weight has shape input[1:2]", rule_55},
      {"_native_batch_norm_legit_functional.C4", "bias has shape input[1:2]", rule_56},
      {"_native_batch_norm_legit_functional.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"_native_batch_norm_legit_functional.C6", "one running mean and variance per channel", rule_59}}},
    {"aten._native_batch_norm_legit_no_training.default", {rule_5, rule_52, rule_52}, {
      {"_native_batch_norm_legit_no_training.C1", "the input is [N, C, …]", rule_53},
      {"_native_batch_norm_legit_no_training.C2", "the input has elements", rule_54},
      {"_native_batch_norm_legit_no_training.C3", "weight has shape input[1:2]", rule_55},
      {"_native_batch_norm_legit_no_training.C4", "bias has shape input[1:2]", rule_56},
      {"_native_batch_norm_legit_no_training.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"_native_batch_norm_legit_no_training.C6", "one running mean and variance per channel", rule_59}}},
    {"aten._neg_view.default", {rule_18}, {}},
    {"aten._neg_view_copy.default", {rule_18}, {}},
    {"aten._new_zeros_with_same_feature_meta.default", {rule_276}, {
      {"_new_zeros_with_same_feature_meta.C1", "the batch dimensions are self's", rule_277}}},
    {"aten._pdist_backward.default", {rule_18}, {
      {"_pdist_backward.C1", "the operand is a matrix", rule_278},
      {"_pdist_backward.C2", "the order is not negative", rule_65},
      {"_pdist_backward.C3", "there are rows and columns", rule_279},
      {"_pdist_backward.C4", "there is a gradient and a distance for each pair", rule_280}}},
    {"aten._pdist_forward.default", {rule_281}, {
      {"_pdist_forward.C1", "the operand is a matrix", rule_278},
      {"_pdist_forward.C2", "the order is not negative", rule_65}}},
    {"aten._prelu_kernel.default", {rule_18}, {
      {"_prelu_kernel.C1", "weight broadcasts to self", rule_282}}},
    {"aten._prelu_kernel_backward.default", {rule_18, rule_18}, {
      {"_prelu_kernel_backward.C1", "the gradient has the shape of the input", rule_283},
      {"_prelu_kernel_backward.C2", "weight broadcasts to self", rule_282}}},
    {"aten._reshape_alias.default", {rule_115}, {
      {"_reshape_alias.C1", "the number of elements stays", rule_284},
      {"_reshape_alias.C2", "one stride a dimension", rule_285}}},
    {"aten._reshape_alias_copy.default", {rule_115}, {
      {"_reshape_alias_copy.C1", "the number of elements stays", rule_284},
      {"_reshape_alias_copy.C2", "one stride a dimension", rule_285}}},
    {"aten._reshape_copy.default", {rule_286}, {}},
    {"aten._safe_softmax.default", {rule_18}, {
      {"_safe_softmax.C1", "the normalized dimension exists", rule_262}}},
    {"aten._sample_dirichlet.default", {rule_18}, {
      {"_sample_dirichlet.C1", "the last dimension holds the concentrations", rule_287}}},
    {"aten._scaled_dot_product_cudnn_attention.default", {rule_102, rule_288, rule_105, rule_105, rule_105, rule_105, rule_104, rule_104, rule_105}, {
      {"_scaled_dot_product_cudnn_attention.C1", "key and value have one shape", rule_106},
      {"_scaled_dot_product_cudnn_attention.C2", "query and key share batch and width", rule_107},
      {"_scaled_dot_product_cudnn_attention.C3", "the query heads are a multiple of the key heads", rule_289},
      {"_scaled_dot_product_cudnn_attention.C4", "no size is 0", rule_109},
      {"_scaled_dot_product_cudnn_attention.C5", "a probability of being dropped", rule_110},
      {"_scaled_dot_product_cudnn_attention.C6", "a causal mask is of as many keys as queries", rule_290},
      {"_scaled_dot_product_cudnn_attention.C7", "the bias broadcasts to the scores", rule_291},
      {"_scaled_dot_product_cudnn_attention.C8", "the mask for debugging is not part of the contract", rule_164},
      {"_scaled_dot_product_cudnn_attention.C9", "the logsumexp is computed", rule_292}}},
    {"aten._scaled_dot_product_cudnn_attention_backward.default", {rule_102, rule_154, rule_155}, {
      {"_scaled_dot_product_cudnn_attention_backward.C1", "key and value have one shape", rule_106},
      {"_scaled_dot_product_cudnn_attention_backward.C2", "query and key share batch and width", rule_107},
      {"_scaled_dot_product_cudnn_attention_backward.C3", "the query heads are a multiple of the key heads", rule_289},
      {"_scaled_dot_product_cudnn_attention_backward.C4", "no size is 0", rule_109},
      {"_scaled_dot_product_cudnn_attention_backward.C5", "a probability of being dropped", rule_110},
      {"_scaled_dot_product_cudnn_attention_backward.C6", "a causal mask is of as many keys as queries", rule_290},
      {"_scaled_dot_product_cudnn_attention_backward.C7", "the bias broadcasts to the scores", rule_291},
      {"_scaled_dot_product_cudnn_attention_backward.C8", "the gradient has the shape of the query", rule_158},
      {"_scaled_dot_product_cudnn_attention_backward.C9", "the result has the shape of the query", rule_159},
      {"_scaled_dot_product_cudnn_attention_backward.C10", "one logsumexp for each row", rule_293}}},
    {"aten._scaled_dot_product_efficient_attention.default", {rule_102, rule_294, rule_104, rule_104}, {
      {"_scaled_dot_product_efficient_attention.C1", "key and value have one shape", rule_106},
      {"_scaled_dot_product_efficient_attention.C2", "query and key share batch and width", rule_107},
      {"_scaled_dot_product_efficient_attention.C3", "the heads are as many", rule_295},
      {"_scaled_dot_product_efficient_attention.C4", "no size is 0", rule_109},
      {"_scaled_dot_product_efficient_attention.C5", "a probability of being dropped", rule_110},
      {"_scaled_dot_product_efficient_attention.C6", "the bias broadcasts to the scores", rule_291}}},
    {"aten._scaled_dot_product_efficient_attention_backward.default", {rule_102, rule_154, rule_155, rule_296}, {
      {"_scaled_dot_product_efficient_attention_backward.C1", "key and value have one shape", rule_106},
      {"_scaled_dot_product_efficient_attention_backward.C2", "query and key share batch and width", rule_107},
      {"_scaled_dot_product_efficient_attention_backward.C3", "the heads are as many", rule_295},
      {"_scaled_dot_product_efficient_attention_backward.C4", "no size is 0", rule_109},
      {"_scaled_dot_product_efficient_attention_backward.C5", "a probability of being dropped", rule_110},
      {"_scaled_dot_product_efficient_attention_backward.C6", "the bias broadcasts to the scores", rule_291},
      {"_scaled_dot_product_efficient_attention_backward.C7", "the gradient has the shape of the query", rule_297},
      {"_scaled_dot_product_efficient_attention_backward.C8", "the result has the shape of the query", rule_159},
      {"_scaled_dot_product_efficient_attention_backward.C9", "one logsumexp for each row, padded", rule_298}}},
    {"aten._scaled_dot_product_flash_attention.default", {rule_102, rule_299, rule_105, rule_105, rule_105, rule_105, rule_163, rule_104, rule_52}, {
      {"_scaled_dot_product_flash_attention.C1", "key and value have one shape", rule_106},
      {"_scaled_dot_product_flash_attention.C2", "query and key share batch and width", rule_107},
      {"_scaled_dot_product_flash_attention.C3", "the query heads are a multiple of the key heads", rule_289},
      {"_scaled_dot_product_flash_attention.C4", "no size is 0", rule_109},
      {"_scaled_dot_product_flash_attention.C5", "a probability of being dropped", rule_110},
      {"_scaled_dot_product_flash_attention.C6", "a causal mask is of as many keys as queries", rule_290},
      {"_scaled_dot_product_flash_attention.C7", "the mask for debugging is not part of the contract", rule_164}}},
    {"aten._scaled_dot_product_flash_attention_backward.default", {rule_102, rule_154, rule_155}, {
      {"_scaled_dot_product_flash_attention_backward.C1", "key and value have one shape", rule_106},
      {"_scaled_dot_product_flash_attention_backward.C2", "query and key share batch and width", rule_107},
      {"_scaled_dot_product_flash_attention_backward.C3", "the query heads are a multiple of the key heads", rule_289},
      {"_scaled_dot_product_flash_attention_backward.C4", "no size is 0", rule_109},
      {"_scaled_dot_product_flash_attention_backward.C5", "a probability of being dropped", rule_110},
      {"_scaled_dot_product_flash_attention_backward.C6", "a causal mask is of as many keys as queries", rule_290},
      {"_scaled_dot_product_flash_attention_backward.C7", "the gradient has the shape of the query", rule_158},
      {"_scaled_dot_product_flash_attention_backward.C8", "the result has the shape of the query", rule_159},
      {"_scaled_dot_product_flash_attention_backward.C9", "one logsumexp for each row", rule_300}}},
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", {rule_102, rule_299}, {
      {"_scaled_dot_product_flash_attention_for_cpu.C1", "query, key and value are [B, H, L, D]", rule_106},
      {"_scaled_dot_product_flash_attention_for_cpu.C2", "query and key share batch and width", rule_107},
      {"_scaled_dot_product_flash_attention_for_cpu.C3", "the query heads are a multiple of the key heads", rule_289},
      {"_scaled_dot_product_flash_attention_for_cpu.C4", "this form has no dropout", rule_301},
      {"_scaled_dot_product_flash_attention_for_cpu.C5", "no size is 0", rule_109},
      {"_scaled_dot_product_flash_attention_for_cpu.C6", "the mask is of rank 2 or 4 and broadcasts to [B, H, L, S]", rule_302}}},
    {"aten._scaled_dot_product_flash_attention_for_cpu_backward.default", {rule_102, rule_154, rule_155}, {
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C1", "query, key and value are [B, H, L, D]", rule_106},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C2", "query and key share batch and width", rule_107},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C3", "the query heads are a multiple of the key heads", rule_289},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C4", "this form has no dropout", rule_301},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C5", "no size is 0", rule_109},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C6", "the mask is of rank 2 or 4 and broadcasts to [B, H, L, S]", rule_302},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C7", "gradient and result have the shape of the query", rule_303},
      {"_scaled_dot_product_flash_attention_for_cpu_backward.C8", "one logsumexp per row", rule_300}}},
    {"aten._scaled_dot_product_fused_attention_overrideable.default", {rule_102, rule_299, rule_105, rule_105, rule_105, rule_105, rule_104, rule_104, rule_105}, {
      {"_scaled_dot_product_fused_attention_overrideable.C1", "key and value have one shape", rule_106},
      {"_scaled_dot_product_fused_attention_overrideable.C2", "query and key share batch and width", rule_107},
      {"_scaled_dot_product_fused_attention_overrideable.C3", "the heads are as many", rule_295},
      {"_scaled_dot_product_fused_attention_overrideable.C4", "no size is 0", rule_109},
      {"_scaled_dot_product_fused_attention_overrideable.C5", "a probability of being dropped", rule_110},
      {"_scaled_dot_product_fused_attention_overrideable.C6", "the bias broadcasts to the scores", rule_291},
      {"_scaled_dot_product_fused_attention_overrideable.C7", "the mask for debugging is not part of the contract", rule_164}}},
    {"aten._scaled_dot_product_fused_attention_overrideable_backward.default", {rule_102, rule_154, rule_155, rule_296}, {
      {"_scaled_dot_product_fused_attention_overrideable_backward.C1", "key and value have one shape", rule_106},
      {"_scaled_dot_product_fused_attention_overrideable_backward.C2", "query and key share batch and width", rule_107},
      {"_scaled_dot_product_fused_attention_overrideable_backward.C3", "the heads are as many", rule_295},
      {"_scaled_dot_product_fused_attention_overrideable_backward.C4", "no size is 0", rule_109},
      {"_scaled_dot_product_fused_attention_overrideable_backward.C5", "a probability of being dropped", rule_110},
      {"_scaled_dot_product_fused_attention_overrideable_backward.C6", "the bias broadcasts to the scores", rule_291},
      {"_scaled_dot_product_fused_attention_overrideable_backward.C7", "the gradient has the shape of the query", rule_158},
      {"_scaled_dot_product_fused_attention_overrideable_backward.C8", "the result has the shape of the query", rule_159},
      {"_scaled_dot_product_fused_attention_overrideable_backward.C9", "one logsumexp for each row", rule_300}}},
    {"aten._scaled_grouped_mm.default", {rule_229}, {
      {"_scaled_grouped_mm.C1", "the operands are matrices or batches of them", rule_230},
      {"_scaled_grouped_mm.C2", "the inner sizes agree", rule_231},
      {"_scaled_grouped_mm.C3", "ends of groups come with an operand to divide", rule_232},
      {"_scaled_grouped_mm.C4", "batches have one size", rule_233},
      {"_scaled_grouped_mm.C5", "the ends of the groups are a vector", rule_234},
      {"_scaled_grouped_mm.C6", "one end for each matrix", rule_235},
      {"_scaled_grouped_mm.C7", "one end for each matrix", rule_236},
      {"_scaled_grouped_mm.C8", "PyTorch has no bias here yet", rule_237},
      {"_scaled_grouped_mm.C9", "the result is bfloat16", rule_304},
      {"_scaled_grouped_mm.C10", "one scale for each row of the first and each column of the second, in every group", rule_305},
      {"_scaled_grouped_mm.C11", "PyTorch has no scale of the result here yet", rule_306}}},
    {"aten._scaled_grouped_mm_v2.default", {rule_229}, {
      {"_scaled_grouped_mm_v2.C1", "the operands are matrices or batches of them", rule_230},
      {"_scaled_grouped_mm_v2.C2", "the inner sizes agree", rule_231},
      {"_scaled_grouped_mm_v2.C3", "ends of groups come with an operand to divide", rule_232},
      {"_scaled_grouped_mm_v2.C4", "batches have one size", rule_233},
      {"_scaled_grouped_mm_v2.C5", "the ends of the groups are a vector", rule_234},
      {"_scaled_grouped_mm_v2.C6", "one end for each matrix", rule_235},
      {"_scaled_grouped_mm_v2.C7", "one end for each matrix", rule_236},
      {"_scaled_grouped_mm_v2.C8", "PyTorch has no bias here yet", rule_237},
      {"_scaled_grouped_mm_v2.C9", "the result is bfloat16", rule_304},
      {"_scaled_grouped_mm_v2.C10", "one scale for each row and column", rule_307},
      {"_scaled_grouped_mm_v2.C11", "there are scales", rule_308},
      {"_scaled_grouped_mm_v2.C12", "columns of the first are summed with rows of the second", rule_309}}},
    {"aten._scaled_mm.default", {rule_247}, {
      {"_scaled_mm.C1", "two matrices with one inner size", rule_248},
      {"_scaled_mm.C2", "one bias for each column", rule_310},
      {"_scaled_mm.C3", "one scale for each matrix, or for each row and column; other recipes are _scaled_mm_v2's", rule_311},
      {"_scaled_mm.C4", "PyTorch's devices disagree about what it does", rule_306}}},
    {"aten._scaled_mm_v2.default", {rule_247}, {
      {"_scaled_mm_v2.C1", "two matrices with one inner size", rule_248},
      {"_scaled_mm_v2.C2", "one bias for each column", rule_310},
      {"_scaled_mm_v2.C3", "one or two levels of scales", rule_312},
      {"_scaled_mm_v2.C4", "a recipe for each level of scales", rule_313},
      {"_scaled_mm_v2.C5", "recipes are those of torch.nn.functional.ScalingType", rule_314},
      {"_scaled_mm_v2.C6", "scales of tensors and rows are float32", rule_315},
      {"_scaled_mm_v2.C7", "columns of the first are summed with rows of the second", rule_309}}},
    {"aten._segment_reduce_backward.default", {rule_316}, {
      {"_segment_reduce_backward.C1", "it is a known reduction", rule_317},
      {"_segment_reduce_backward.C2", "segments are given by lengths or offsets", rule_318},
      {"_segment_reduce_backward.C3", "the axis exists", rule_319},
      {"_segment_reduce_backward.C4", "there is a row of segments for each index before the axis", rule_320},
      {"_segment_reduce_backward.C5", "there is a gradient for each result", rule_321}}},
    {"aten._slow_conv2d_backward.output_mask", {rule_322, rule_323, rule_324}, {
      {"_slow_conv2d_backward.output_mask.C1", "the input is [N, C, H, W]", rule_325},
      {"_slow_conv2d_backward.output_mask.C2", "the kernel's size is the weight's", rule_326},
      {"_slow_conv2d_backward.output_mask.C3", "the gradient has the shape of the forward result", rule_327},
      {"_slow_conv2d_backward.output_mask.C4", "no dimension is empty", rule_328}}},
    {"aten._slow_conv2d_forward.default", {rule_329}, {
      {"_slow_conv2d_forward.C1", "the input is [N, C, *spatial] or [C, *spatial]", rule_330},
      {"_slow_conv2d_forward.C2", "the kernel's size is the weight's", rule_326},
      {"_slow_conv2d_forward.C3", "the input's channels are those the weight reads", rule_331},
      {"_slow_conv2d_forward.C4", "one bias per output channel", rule_332},
      {"_slow_conv2d_forward.C5", "the kernel has elements and is no larger than the padded input", rule_333}}},
    {"aten._softmax.default", {rule_18}, {
      {"_softmax.C1", "the normalized dimension exists", rule_262},
      {"_softmax.C2", "half_to_float widens 16-bit floats only", rule_263}}},
    {"aten._softmax_backward_data.default", {rule_264}, {
      {"_softmax_backward_data.C1", "the normalized dimension exists", rule_265},
      {"_softmax_backward_data.C2", "the gradient has the shape of the result", rule_266}}},
    {"aten._stack.default", {rule_334}, {
      {"_stack.C1", "there is something to stack", rule_74}}},
    {"aten._standard_gamma.default", {rule_18}, {}},
    {"aten._standard_gamma_grad.default", {rule_335}, {}},
    {"aten._thnn_fused_lstm_cell.default", {rule_336, rule_336, rule_337}, {
      {"_thnn_fused_lstm_cell.C1", "the state is [B, H], the gates [B, 4·H]", rule_338},
      {"_thnn_fused_lstm_cell.C2", "both biases are given, or none", rule_339}}},
    {"aten._thnn_fused_lstm_cell_backward_impl.default", {rule_340, rule_341, rule_342}, {
      {"_thnn_fused_lstm_cell_backward_impl.C1", "the states are [B, H], the activated gates [B, 4·H]", rule_343},
      {"_thnn_fused_lstm_cell_backward_impl.C2", "the gradients have the shape of the states", rule_344}}},
    {"aten._to_copy.default", {rule_18}, {}},
    {"aten._transform_bias_rescale_qkv.default", {rule_345, rule_345, rule_345}, {
      {"_transform_bias_rescale_qkv.C1", "query, key and value side by side, and their bias", rule_346},
      {"_transform_bias_rescale_qkv.C2", "the width divides into heads", rule_347}}},
    {"aten._trilinear.default", {rule_348}, {
      {"_trilinear.C1", "all operands have as many dimensions", rule_349},
      {"_trilinear.C2", "the dimension that may be looped over exists", rule_350}}},
    {"aten._unique.default", {rule_351, rule_352}, {}},
    {"aten._unique2.default", {rule_351, rule_352, rule_353}, {}},
    {"aten._unsafe_index.Tensor", {rule_354}, {
      {"_unsafe_index.Tensor.C1", "no more indices than dimensions, and masks as large as what they cover", rule_245}}},
    {"aten._unsafe_index_put.default", {rule_18}, {
      {"_unsafe_index_put.C1", "no more indices than dimensions, and masks as large as what they cover", rule_245},
      {"_unsafe_index_put.C2", "the values broadcast to what is indexed", rule_246}}},
    {"aten._unsafe_masked_index.default", {rule_354}, {
      {"_unsafe_masked_index.C1", "no more indices than dimensions, and masks as large as what they cover", rule_245},
      {"_unsafe_masked_index.C2", "there is something to index", rule_40},
      {"_unsafe_masked_index.C3", "the mask broadcasts to what is indexed", rule_355}}},
    {"aten._unsafe_masked_index_put_accumulate.default", {rule_18}, {
      {"_unsafe_masked_index_put_accumulate.C1", "no more indices than dimensions, and masks as large as what they cover", rule_245},
      {"_unsafe_masked_index_put_accumulate.C2", "there is something to index", rule_40},
      {"_unsafe_masked_index_put_accumulate.C3", "the mask broadcasts to what is indexed", rule_355},
      {"_unsafe_masked_index_put_accumulate.C4", "the values broadcast to what is indexed", rule_246}}},
    {"aten._unsafe_view.default", {rule_286}, {}},
    {"aten._upsample_bicubic2d_aa.default", {rule_356}, {
      {"_upsample_bicubic2d_aa.C1", "the input is [N, C, *spatial]", rule_357},
      {"_upsample_bicubic2d_aa.C2", "only the batch may be empty", rule_358},
      {"_upsample_bicubic2d_aa.C3", "one output size per spatial dimension", rule_23}}},
    {"aten._upsample_bicubic2d_aa_backward.default", {rule_359}, {
      {"_upsample_bicubic2d_aa_backward.C1", "the gradient is [N, C, *spatial]", rule_360},
      {"_upsample_bicubic2d_aa_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"_upsample_bicubic2d_aa_backward.C3", "only the batch may be empty", rule_362},
      {"_upsample_bicubic2d_aa_backward.C4", "one output size per spatial dimension", rule_23}}},
    {"aten._upsample_bilinear2d_aa.default", {rule_356}, {
      {"_upsample_bilinear2d_aa.C1", "the input is [N, C, *spatial]", rule_357},
      {"_upsample_bilinear2d_aa.C2", "only the batch may be empty", rule_358},
      {"_upsample_bilinear2d_aa.C3", "one output size per spatial dimension", rule_23}}},
    {"aten._upsample_bilinear2d_aa_backward.default", {rule_359}, {
      {"_upsample_bilinear2d_aa_backward.C1", "the gradient is [N, C, *spatial]", rule_360},
      {"_upsample_bilinear2d_aa_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"_upsample_bilinear2d_aa_backward.C3", "only the batch may be empty", rule_362},
      {"_upsample_bilinear2d_aa_backward.C4", "one output size per spatial dimension", rule_23}}},
    {"aten._upsample_lanczos2d_aa.default", {rule_356}, {
      {"_upsample_lanczos2d_aa.C1", "the input is [N, C, *spatial]", rule_357},
      {"_upsample_lanczos2d_aa.C2", "only the batch may be empty", rule_358},
      {"_upsample_lanczos2d_aa.C3", "one output size per spatial dimension", rule_23}}},
    {"aten._upsample_lanczos2d_aa_backward.default", {rule_359}, {
      {"_upsample_lanczos2d_aa_backward.C1", "the gradient is [N, C, *spatial]", rule_360},
      {"_upsample_lanczos2d_aa_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"_upsample_lanczos2d_aa_backward.C3", "only the batch may be empty", rule_362},
      {"_upsample_lanczos2d_aa_backward.C4", "one output size per spatial dimension", rule_23}}},
    {"aten._upsample_nearest_exact1d.default", {rule_356}, {
      {"_upsample_nearest_exact1d.C1", "the input is [N, C, *spatial]", rule_363},
      {"_upsample_nearest_exact1d.C2", "only the batch may be empty", rule_358},
      {"_upsample_nearest_exact1d.C3", "one output size per spatial dimension", rule_364}}},
    {"aten._upsample_nearest_exact1d_backward.default", {rule_359}, {
      {"_upsample_nearest_exact1d_backward.C1", "the gradient is [N, C, *spatial]", rule_365},
      {"_upsample_nearest_exact1d_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"_upsample_nearest_exact1d_backward.C3", "only the batch may be empty", rule_362},
      {"_upsample_nearest_exact1d_backward.C4", "one output size per spatial dimension", rule_364}}},
    {"aten._upsample_nearest_exact2d.default", {rule_356}, {
      {"_upsample_nearest_exact2d.C1", "the input is [N, C, *spatial]", rule_357},
      {"_upsample_nearest_exact2d.C2", "only the batch may be empty", rule_358},
      {"_upsample_nearest_exact2d.C3", "one output size per spatial dimension", rule_23}}},
    {"aten._upsample_nearest_exact2d_backward.default", {rule_359}, {
      {"_upsample_nearest_exact2d_backward.C1", "the gradient is [N, C, *spatial]", rule_360},
      {"_upsample_nearest_exact2d_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"_upsample_nearest_exact2d_backward.C3", "only the batch may be empty", rule_362},
      {"_upsample_nearest_exact2d_backward.C4", "one output size per spatial dimension", rule_23}}},
    {"aten._upsample_nearest_exact3d.default", {rule_356}, {
      {"_upsample_nearest_exact3d.C1", "the input is [N, C, *spatial]", rule_366},
      {"_upsample_nearest_exact3d.C2", "only the batch may be empty", rule_358},
      {"_upsample_nearest_exact3d.C3", "one output size per spatial dimension", rule_29}}},
    {"aten._upsample_nearest_exact3d_backward.default", {rule_359}, {
      {"_upsample_nearest_exact3d_backward.C1", "the gradient is [N, C, *spatial]", rule_367},
      {"_upsample_nearest_exact3d_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"_upsample_nearest_exact3d_backward.C3", "only the batch may be empty", rule_362},
      {"_upsample_nearest_exact3d_backward.C4", "one output size per spatial dimension", rule_29}}},
    {"aten._weight_int4pack_mm.default", {rule_368}, {
      {"_weight_int4pack_mm.C1", "the weight is in tiles for 32 lanes", rule_369},
      {"_weight_int4pack_mm.C2", "the inner sizes agree", rule_370},
      {"_weight_int4pack_mm.C3", "sizes of groups that share a scale", rule_371},
      {"_weight_int4pack_mm.C4", "scale and zero for each group of each row of the weight", rule_372}}},
    {"aten._weight_int8pack_mm.default", {rule_373}, {
      {"_weight_int8pack_mm.C1", "the weight is transposed", rule_374},
      {"_weight_int8pack_mm.C2", "one scale for each row of the weight", rule_375}}},
    {"aten._weight_norm_interface.default", {rule_376, rule_377}, {
      {"_weight_norm_interface.C1", "the dimension that is kept is the first or the last", rule_378},
      {"_weight_norm_interface.C2", "one length for each slice", rule_379},
      {"_weight_norm_interface.C3", "no dimension is empty", rule_380}}},
    {"aten._weight_norm_interface_backward.default", {rule_381, rule_382}, {
      {"_weight_norm_interface_backward.C1", "the dimension that is kept is the first or the last", rule_383},
      {"_weight_norm_interface_backward.C2", "the gradient has the shape of the weight", rule_384},
      {"_weight_norm_interface_backward.C3", "one length for each slice", rule_385},
      {"_weight_norm_interface_backward.C4", "one norm for each slice", rule_386},
      {"_weight_norm_interface_backward.C5", "no dimension is empty", rule_387}}},
    {"aten.abs.default", {rule_18}, {}},
    {"aten.acos.default", {rule_18}, {}},
    {"aten.acosh.default", {rule_18}, {}},
    {"aten.adaptive_max_pool2d.default", {rule_20, rule_20}, {
      {"adaptive_max_pool2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"adaptive_max_pool2d.C2", "only the batch may be empty", rule_28},
      {"adaptive_max_pool2d.C3", "one output size per spatial dimension", rule_23}}},
    {"aten.adaptive_max_pool2d_backward.default", {rule_18}, {
      {"adaptive_max_pool2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"adaptive_max_pool2d_backward.C2", "only the batch may be empty", rule_28},
      {"adaptive_max_pool2d_backward.C3", "the gradient has the shape of the forward result", rule_388},
      {"adaptive_max_pool2d_backward.C4", "one index per pooled element", rule_389},
      {"adaptive_max_pool2d_backward.C5", "the pooled sizes are positive", rule_25}}},
    {"aten.adaptive_max_pool3d.default", {rule_26, rule_26}, {
      {"adaptive_max_pool3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"adaptive_max_pool3d.C2", "only the batch may be empty", rule_390},
      {"adaptive_max_pool3d.C3", "one output size per spatial dimension", rule_29}}},
    {"aten.adaptive_max_pool3d_backward.default", {rule_18}, {
      {"adaptive_max_pool3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"adaptive_max_pool3d_backward.C2", "only the batch may be empty", rule_390},
      {"adaptive_max_pool3d_backward.C3", "the gradient has the shape of the forward result", rule_391},
      {"adaptive_max_pool3d_backward.C4", "one index per pooled element", rule_389},
      {"adaptive_max_pool3d_backward.C5", "the pooled sizes are positive", rule_31}}},
    {"aten.add.Scalar", {rule_18}, {}},
    {"aten.add.Tensor", {rule_19}, {}},
    {"aten.addbmm.default", {rule_392}, {
      {"addbmm.C1", "both factors are batches of matrices", rule_393},
      {"addbmm.C2", "batch and inner sizes are equal", rule_394},
      {"addbmm.C3", "the addend broadcasts to the product", rule_395}}},
    {"aten.addcdiv.default", {rule_396}, {
      {"addcdiv.C1", "one of the operands of the division is not an integer", rule_173}}},
    {"aten.addcmul.default", {rule_396}, {
      {"addcmul.C1", "integers have a whole factor", rule_178}}},
    {"aten.addmm.default", {rule_33}, {
      {"addmm.C1", "both factors are matrices", rule_34},
      {"addmm.C2", "the inner sizes are equal", rule_35},
      {"addmm.C3", "the addend broadcasts to the product", rule_37}}},
    {"aten.addmm.dtype", {rule_33}, {
      {"addmm.dtype.C1", "both factors are matrices", rule_34},
      {"addmm.dtype.C2", "the inner sizes are equal", rule_35},
      {"addmm.dtype.C3", "the addend broadcasts to the product", rule_37},
      {"addmm.dtype.C4", "products are rounded or float32", rule_397}}},
    {"aten.addmv.default", {rule_398}, {
      {"addmv.C1", "a matrix and a vector", rule_399},
      {"addmv.C2", "the inner sizes are equal", rule_400},
      {"addmv.C3", "the addend broadcasts to the product", rule_401}}},
    {"aten.addr.default", {rule_402}, {
      {"addr.C1", "both factors are vectors", rule_403},
      {"addr.C2", "the addend broadcasts to the product", rule_404},
      {"addr.C3", "integers are scaled by integers", rule_405}}},
    {"aten.affine_grid_generator.default", {rule_406}, {
      {"affine_grid_generator.C1", "the image has two or three spatial dimensions", rule_407},
      {"affine_grid_generator.C2", "one matrix for each image", rule_408},
      {"affine_grid_generator.C3", "no dimension is empty", rule_409}}},
    {"aten.alias.default", {rule_18}, {}},
    {"aten.alias_copy.default", {rule_18}, {}},
    {"aten.all.default", {rule_39}, {}},
    {"aten.all.dim", {rule_41}, {
      {"all.dim.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.all.dims", {rule_41}, {
      {"all.dims.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.allclose.default", {rule_104}, {
      {"allclose.C1", "tolerances are not negative", rule_410}}},
    {"aten.amax.default", {rule_41}, {
      {"amax.C1", "dimensions exist and are listed once", rule_42},
      {"amax.C2", "something is there to be reduced", rule_43}}},
    {"aten.amin.default", {rule_41}, {
      {"amin.C1", "dimensions exist and are listed once", rule_42},
      {"amin.C2", "something is there to be reduced", rule_43}}},
    {"aten.aminmax.default", {rule_41, rule_41}, {
      {"aminmax.C1", "dimensions exist and are listed once", rule_42},
      {"aminmax.C2", "an empty tensor has no extreme", rule_40},
      {"aminmax.C3", "something is there to be reduced", rule_43}}},
    {"aten.angle.default", {rule_18}, {}},
    {"aten.any.default", {rule_39}, {}},
    {"aten.any.dim", {rule_41}, {
      {"any.dim.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.any.dims", {rule_41}, {
      {"any.dims.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.arange.default", {rule_411}, {
      {"arange.C1", "an integer ramp has integer bounds", rule_412}}},
    {"aten.arange.start", {rule_413}, {
      {"arange.start.C1", "an integer ramp has integer bounds", rule_414}}},
    {"aten.arange.start_step", {rule_415}, {
      {"arange.start_step.C1", "the step is not zero", rule_416}}},
    {"aten.argmax.default", {rule_41}, {
      {"argmax.C1", "dimensions exist and are listed once", rule_42},
      {"argmax.C2", "an empty tensor has no extreme", rule_417},
      {"argmax.C3", "something is there to be reduced", rule_43}}},
    {"aten.argmin.default", {rule_41}, {
      {"argmin.C1", "dimensions exist and are listed once", rule_42},
      {"argmin.C2", "an empty tensor has no extreme", rule_417},
      {"argmin.C3", "something is there to be reduced", rule_43}}},
    {"aten.as_strided.default", {rule_115}, {
      {"as_strided.C1", "one stride a dimension", rule_285},
      {"as_strided.C2", "every element lies in a row-major operand", rule_418}}},
    {"aten.as_strided_copy.default", {rule_115}, {
      {"as_strided_copy.C1", "one stride a dimension", rule_285},
      {"as_strided_copy.C2", "every element lies in a row-major operand", rule_418}}},
    {"aten.as_strided_scatter.default", {rule_18}, {
      {"as_strided_scatter.C1", "one stride a dimension", rule_285},
      {"as_strided_scatter.C2", "the source has the shape of the view", rule_419},
      {"as_strided_scatter.C3", "every element lies in a row-major operand", rule_418}}},
    {"aten.asin.default", {rule_18}, {}},
    {"aten.asinh.default", {rule_18}, {}},
    {"aten.atan.default", {rule_18}, {}},
    {"aten.atan2.default", {rule_19}, {}},
    {"aten.atanh.default", {rule_18}, {}},
    {"aten.avg_pool2d.default", {rule_420}, {
      {"avg_pool2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"avg_pool2d.C2", "the window has one size, or one per spatial dimension", rule_421},
      {"avg_pool2d.C3", "padding is at most half the window", rule_422},
      {"avg_pool2d.C4", "only the batch may be empty", rule_28},
      {"avg_pool2d.C5", "the divisor is not zero", rule_423}}},
    {"aten.avg_pool2d_backward.default", {rule_18}, {
      {"avg_pool2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"avg_pool2d_backward.C2", "the window has one size, or one per spatial dimension", rule_421},
      {"avg_pool2d_backward.C3", "padding is at most half the window", rule_422},
      {"avg_pool2d_backward.C4", "only the batch may be empty", rule_28},
      {"avg_pool2d_backward.C5", "the divisor is not zero", rule_423},
      {"avg_pool2d_backward.C6", "the gradient has the shape of the forward result", rule_424}}},
    {"aten.avg_pool3d.default", {rule_425}, {
      {"avg_pool3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"avg_pool3d.C2", "the window has one size, or one per spatial dimension", rule_426},
      {"avg_pool3d.C3", "padding is at most half the window", rule_422},
      {"avg_pool3d.C4", "only the batch may be empty", rule_390},
      {"avg_pool3d.C5", "the divisor is not zero", rule_423}}},
    {"aten.avg_pool3d_backward.default", {rule_18}, {
      {"avg_pool3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"avg_pool3d_backward.C2", "the window has one size, or one per spatial dimension", rule_426},
      {"avg_pool3d_backward.C3", "padding is at most half the window", rule_422},
      {"avg_pool3d_backward.C4", "only the batch may be empty", rule_390},
      {"avg_pool3d_backward.C5", "the divisor is not zero", rule_423},
      {"avg_pool3d_backward.C6", "the gradient has the shape of the forward result", rule_427}}},
    {"aten.baddbmm.default", {rule_428}, {
      {"baddbmm.C1", "both factors are batches of matrices", rule_393},
      {"baddbmm.C2", "batch and inner sizes are equal", rule_394},
      {"baddbmm.C3", "the addend broadcasts to the product", rule_429}}},
    {"aten.baddbmm.dtype", {rule_428}, {
      {"baddbmm.dtype.C1", "both factors are batches of matrices", rule_393},
      {"baddbmm.dtype.C2", "batch and inner sizes are equal", rule_394},
      {"baddbmm.dtype.C3", "the addend broadcasts to the product", rule_429},
      {"baddbmm.dtype.C4", "products are rounded or float32", rule_430}}},
    {"aten.bartlett_window.default", {rule_431}, {
      {"bartlett_window.C1", "the number of points is not negative", rule_432},
      {"bartlett_window.C2", "windows are floating", rule_433}}},
    {"aten.bartlett_window.periodic", {rule_431}, {
      {"bartlett_window.periodic.C1", "the number of points is not negative", rule_432},
      {"bartlett_window.periodic.C2", "windows are floating", rule_433}}},
    {"aten.batch_norm_backward.default", {rule_223, rule_434, rule_435}, {
      {"batch_norm_backward.C1", "the input is [N, C, …] and has elements", rule_436},
      {"batch_norm_backward.C2", "the gradient has the shape of the input", rule_225},
      {"batch_norm_backward.C3", "weight has shape input[1:2]", rule_55},
      {"batch_norm_backward.C4", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"batch_norm_backward.C5", "training saved its statistics", rule_437},
      {"batch_norm_backward.C6", "evaluation has running statistics", rule_438}}},
    {"aten.batch_norm_update_stats.default", {rule_60, rule_60}, {
      {"batch_norm_update_stats.C1", "the input is [N, C, …] and has elements", rule_436},
      {"batch_norm_update_stats.C2", "to update running statistics is not functional", rule_439}}},
    {"aten.bernoulli.Tensor", {rule_18}, {
      {"bernoulli.Tensor.C1", "the probabilities broadcast to the result", rule_440}}},
    {"aten.bernoulli.default", {rule_18}, {}},
    {"aten.bernoulli.p", {rule_18}, {
      {"bernoulli.p.C1", "p is a probability", rule_441}}},
    {"aten.binary_cross_entropy.default", {rule_442}, {
      {"binary_cross_entropy.C1", "input and target have one shape", rule_443},
      {"binary_cross_entropy.C2", "reduction is none, mean or sum", rule_444},
      {"binary_cross_entropy.C3", "the weight broadcasts to the input", rule_445}}},
    {"aten.binary_cross_entropy_backward.default", {rule_18}, {
      {"binary_cross_entropy_backward.C1", "input and target have one shape", rule_443},
      {"binary_cross_entropy_backward.C2", "reduction is none, mean or sum", rule_444},
      {"binary_cross_entropy_backward.C3", "the weight broadcasts to the input", rule_445},
      {"binary_cross_entropy_backward.C4", "the gradient has the shape of the loss", rule_446}}},
    {"aten.binary_cross_entropy_with_logits.default", {rule_442}, {
      {"binary_cross_entropy_with_logits.C1", "input and target have one shape", rule_443},
      {"binary_cross_entropy_with_logits.C2", "reduction is none, mean or sum", rule_444},
      {"binary_cross_entropy_with_logits.C3", "the weight broadcasts to the input", rule_445},
      {"binary_cross_entropy_with_logits.C4", "pos_weight broadcasts to the input", rule_447}}},
    {"aten.bincount.default", {rule_448}, {
      {"bincount.C1", "the integers are a vector", rule_449},
      {"bincount.C2", "there is a weight for each integer", rule_450},
      {"bincount.C3", "the least length is not negative", rule_451}}},
    {"aten.binomial.default", {rule_452}, {}},
    {"aten.bitwise_and.Scalar", {rule_18}, {}},
    {"aten.bitwise_and.Scalar_Tensor", {rule_453}, {}},
    {"aten.bitwise_and.Tensor", {rule_19}, {}},
    {"aten.bitwise_left_shift.Scalar_Tensor", {rule_453}, {}},
    {"aten.bitwise_left_shift.Tensor", {rule_19}, {}},
    {"aten.bitwise_left_shift.Tensor_Scalar", {rule_18}, {}},
    {"aten.bitwise_not.default", {rule_18}, {}},
    {"aten.bitwise_or.Scalar", {rule_18}, {}},
    {"aten.bitwise_or.Scalar_Tensor", {rule_453}, {}},
    {"aten.bitwise_or.Tensor", {rule_19}, {}},
    {"aten.bitwise_right_shift.Scalar_Tensor", {rule_453}, {}},
    {"aten.bitwise_right_shift.Tensor", {rule_19}, {}},
    {"aten.bitwise_right_shift.Tensor_Scalar", {rule_18}, {}},
    {"aten.bitwise_xor.Scalar", {rule_18}, {}},
    {"aten.bitwise_xor.Scalar_Tensor", {rule_453}, {}},
    {"aten.bitwise_xor.Tensor", {rule_19}, {}},
    {"aten.blackman_window.default", {rule_431}, {
      {"blackman_window.C1", "the number of points is not negative", rule_432},
      {"blackman_window.C2", "windows are floating", rule_433}}},
    {"aten.blackman_window.periodic", {rule_431}, {
      {"blackman_window.periodic.C1", "the number of points is not negative", rule_432},
      {"blackman_window.periodic.C2", "windows are floating", rule_433}}},
    {"aten.block_diag.default", {rule_454}, {
      {"block_diag.C1", "there is a block at least", rule_74}}},
    {"aten.bmm.default", {rule_455}, {
      {"bmm.C1", "both operands are batches of matrices", rule_456},
      {"bmm.C2", "batch and inner sizes are equal", rule_457}}},
    {"aten.bmm.dtype", {rule_455}, {
      {"bmm.dtype.C1", "both operands are batches of matrices", rule_456},
      {"bmm.dtype.C2", "batch and inner sizes are equal", rule_457},
      {"bmm.dtype.C3", "products are rounded or float32", rule_458}}},
    {"aten.bucketize.Scalar", {rule_104}, {
      {"bucketize.Scalar.C1", "the boundaries are one-dimensional", rule_459}}},
    {"aten.bucketize.Tensor", {rule_18}, {
      {"bucketize.Tensor.C1", "the boundaries are one-dimensional", rule_459}}},
    {"aten.cat.default", {rule_460}, {
      {"cat.C1", "there is something to concatenate", rule_74}}},
    {"aten.cauchy.default", {rule_18}, {
      {"cauchy.C1", "sigma is positive", rule_461}}},
    {"aten.ceil.default", {rule_18}, {}},
    {"aten.celu.default", {rule_18}, {}},
    {"aten.channel_shuffle.default", {rule_18}, {
      {"channel_shuffle.C1", "the input is [N, C, *]", rule_462},
      {"channel_shuffle.C2", "the channels divide by the groups", rule_463}}},
    {"aten.cholesky.default", {rule_18}, {
      {"cholesky.C1", "the matrices are square", rule_255}}},
    {"aten.cholesky_inverse.default", {rule_18}, {
      {"cholesky_inverse.C1", "the matrices are square", rule_255}}},
    {"aten.cholesky_solve.default", {rule_464}, {
      {"cholesky_solve.C1", "the matrices are square", rule_465},
      {"cholesky_solve.C2", "the right-hand sides have a row for each equation", rule_466}}},
    {"aten.clamp.Tensor", {rule_467}, {
      {"clamp.Tensor.C1", "at least one bound is given", rule_468},
      {"clamp.Tensor.C2", "bools are bounded from one side only", rule_469}}},
    {"aten.clamp.default", {rule_18}, {
      {"clamp.C1", "at least one bound is given", rule_468}}},
    {"aten.clamp_max.Tensor", {rule_470}, {}},
    {"aten.clamp_max.default", {rule_18}, {}},
    {"aten.clamp_min.Tensor", {rule_471}, {}},
    {"aten.clamp_min.default", {rule_18}, {}},
    {"aten.clone.default", {rule_18}, {}},
    {"aten.col2im.default", {rule_472}, {
      {"col2im.C1", "the columns are [C, L] or [N, C, L]", rule_473},
      {"col2im.C2", "the image has two dimensions", rule_474},
      {"col2im.C3", "one value for each of the two dimensions", rule_475},
      {"col2im.C4", "kernel, dilation and stride are positive, the padding is not negative", rule_476},
      {"col2im.C5", "the columns hold whole windows", rule_477},
      {"col2im.C6", "only the batch may be empty", rule_478},
      {"col2im.C7", "a window fits", rule_479},
      {"col2im.C8", "one column per window", rule_480}}},
    {"aten.complex.default", {rule_481}, {}},
    {"aten.constant_pad_nd.default", {rule_482}, {}},
    {"aten.conv_tbc.default", {rule_483}, {
      {"conv_tbc.C1", "the input is [T, B, C], the weight [k, C, D]", rule_484},
      {"conv_tbc.C2", "the channels fit", rule_485},
      {"conv_tbc.C3", "the kernel fits", rule_486},
      {"conv_tbc.C4", "only the length may be empty", rule_487}}},
    {"aten.convolution.default", {rule_81}, {
      {"convolution.C1", "the input is [N, C, *spatial] with one to three spatial dimensions", rule_82},
      {"convolution.C2", "stride, padding and dilation have one value, or one per spatial dimension", rule_83},
      {"convolution.C3", "the weight's first dimension divides into the groups", rule_84},
      {"convolution.C4", "the input's channels are those the weight reads", rule_85},
      {"convolution.C5", "the kernel has elements and is no larger than the padded input", rule_86},
      {"convolution.C6", "one bias per output channel", rule_87},
      {"convolution.C7", "int64 is the only integer type of dilated and of transposed convolution", rule_88}}},
    {"aten.convolution_backward.default", {rule_223, rule_323, rule_488}, {
      {"convolution_backward.C1", "the input is [N, C, *spatial] with one to three spatial dimensions", rule_82},
      {"convolution_backward.C2", "stride, padding and dilation have one value, or one per spatial dimension", rule_83},
      {"convolution_backward.C3", "the weight's first dimension divides into the groups", rule_84},
      {"convolution_backward.C4", "the input's channels are those the weight reads", rule_85},
      {"convolution_backward.C5", "the kernel has elements and is no larger than the padded input", rule_86},
      {"convolution_backward.C6", "the gradient has the shape of the forward result", rule_489}}},
    {"aten.copy.default", {rule_18}, {
      {"copy.C1", "the source broadcasts to the destination", rule_490}}},
    {"aten.copysign.Scalar", {rule_18}, {}},
    {"aten.copysign.Tensor", {rule_19}, {}},
    {"aten.cos.default", {rule_18}, {}},
    {"aten.cosh.default", {rule_18}, {}},
    {"aten.count_nonzero.default", {rule_491}, {
      {"count_nonzero.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.count_nonzero.dim_IntList", {rule_491}, {
      {"count_nonzero.dim_IntList.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.cummax.default", {rule_18, rule_18}, {
      {"cummax.C1", "the dimension exists", rule_262}}},
    {"aten.cummin.default", {rule_18, rule_18}, {
      {"cummin.C1", "the dimension exists", rule_262}}},
    {"aten.cumprod.default", {rule_18}, {
      {"cumprod.C1", "the dimension exists", rule_262}}},
    {"aten.cumsum.default", {rule_18}, {
      {"cumsum.C1", "the dimension exists", rule_262}}},
    {"aten.deg2rad.default", {rule_18}, {}},
    {"aten.detach.default", {rule_18}, {}},
    {"aten.detach_copy.default", {rule_18}, {}},
    {"aten.diag_embed.default", {rule_492}, {
      {"diag_embed.C1", "there is a diagonal", rule_287},
      {"diag_embed.C2", "two different dimensions of the result", rule_493}}},
    {"aten.diagonal.default", {rule_494}, {
      {"diagonal.C1", "two different dimensions", rule_495}}},
    {"aten.diagonal_backward.default", {rule_496}, {
      {"diagonal_backward.C1", "two different dimensions", rule_497},
      {"diagonal_backward.C2", "the gradient has the shape of the diagonal", rule_498}}},
    {"aten.diagonal_copy.default", {rule_494}, {
      {"diagonal_copy.C1", "two different dimensions", rule_495}}},
    {"aten.diagonal_scatter.default", {rule_18}, {
      {"diagonal_scatter.C1", "the source has the shape of the diagonal", rule_499}}},
    {"aten.digamma.default", {rule_18}, {}},
    {"aten.dist.default", {rule_104}, {}},
    {"aten.div.Scalar", {rule_18}, {}},
    {"aten.div.Scalar_mode", {rule_18}, {}},
    {"aten.div.Tensor", {rule_19}, {}},
    {"aten.div.Tensor_mode", {rule_19}, {
      {"div.Tensor_mode.C2", "true division is div.Tensor", rule_500}}},
    {"aten.dot.default", {rule_104}, {
      {"dot.C1", "both operands are vectors", rule_501},
      {"dot.C2", "both have one length", rule_502}}},
    {"aten.elu.default", {rule_18}, {}},
    {"aten.elu_backward.default", {rule_503}, {
      {"elu_backward.C1", "the gradient has the shape of the point it is taken at", rule_504}}},
    {"aten.embedding.default", {rule_505}, {
      {"embedding.C1", "the table is a matrix", rule_120},
      {"embedding.C2", "gradients are dense", rule_122}}},
    {"aten.embedding_dense_backward.default", {rule_506}, {
      {"embedding_dense_backward.C1", "one gradient row per index", rule_507}}},
    {"aten.embedding_renorm.default", {rule_18}, {
      {"embedding_renorm.C1", "the table is a matrix", rule_278}}},
    {"aten.empty.memory_format", {rule_115}, {}},
    {"aten.empty_like.default", {rule_18}, {}},
    {"aten.empty_permuted.default", {rule_115}, {
      {"empty_permuted.C1", "the layout is a permutation of the dimensions", rule_508}}},
    {"aten.empty_strided.default", {rule_115}, {
      {"empty_strided.C1", "one stride a dimension", rule_285}}},
    {"aten.eq.Scalar", {rule_18}, {}},
    {"aten.eq.Tensor", {rule_19}, {}},
    {"aten.equal.default", {rule_104}, {
      {"equal.C1", "the operands have one rank", rule_509}}},
    {"aten.erf.default", {rule_18}, {}},
    {"aten.erfc.default", {rule_18}, {}},
    {"aten.erfinv.default", {rule_18}, {}},
    {"aten.exp.default", {rule_18}, {}},
    {"aten.exp2.default", {rule_18}, {}},
    {"aten.expand.default", {rule_510}, {}},
    {"aten.expand_copy.default", {rule_510}, {}},
    {"aten.expm1.default", {rule_18}, {}},
    {"aten.exponential.default", {rule_18}, {
      {"exponential.C1", "lambd is positive", rule_511}}},
    {"aten.eye.default", {rule_512}, {}},
    {"aten.eye.m", {rule_513}, {}},
    {"aten.fake_quantize_per_channel_affine_cachemask.default", {rule_18, rule_18}, {
      {"fake_quantize_per_channel_affine_cachemask.C1", "the range is not empty", rule_137},
      {"fake_quantize_per_channel_affine_cachemask.C2", "the channel axis exists, counted from the front", rule_138},
      {"fake_quantize_per_channel_affine_cachemask.C3", "one scale and zero point for each channel", rule_139}}},
    {"aten.fake_quantize_per_tensor_affine_cachemask.default", {rule_18, rule_18}, {
      {"fake_quantize_per_tensor_affine_cachemask.C1", "the range is not empty", rule_137},
      {"fake_quantize_per_tensor_affine_cachemask.C2", "the zero point is in the range", rule_514}}},
    {"aten.fft_fftfreq.default", {rule_515}, {
      {"fft_fftfreq.C1", "there are samples", rule_516}}},
    {"aten.fft_rfftfreq.default", {rule_517}, {
      {"fft_rfftfreq.C1", "there are samples", rule_516}}},
    {"aten.fill.Scalar", {rule_18}, {}},
    {"aten.fill.Tensor", {rule_18}, {
      {"fill.Tensor.C1", "the value is a scalar", rule_518}}},
    {"aten.flip.default", {rule_18}, {
      {"flip.C1", "the dimensions exist and are listed once", rule_519},
      {"flip.C2", "a scalar has no slices", rule_287}}},
    {"aten.floor.default", {rule_18}, {}},
    {"aten.floor_divide.Scalar", {rule_18}, {}},
    {"aten.floor_divide.default", {rule_19}, {}},
    {"aten.fmax.default", {rule_19}, {}},
    {"aten.fmin.default", {rule_19}, {}},
    {"aten.fmod.Scalar", {rule_18}, {}},
    {"aten.fmod.Tensor", {rule_19}, {}},
    {"aten.frac.default", {rule_18}, {}},
    {"aten.fractional_max_pool2d.default", {rule_20, rule_20}, {
      {"fractional_max_pool2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"fractional_max_pool2d.C2", "only the batch may be empty", rule_28},
      {"fractional_max_pool2d.C3", "one window and one output size per spatial dimension", rule_520},
      {"fractional_max_pool2d.C4", "the windows fit", rule_521},
      {"fractional_max_pool2d.C5", "one uniform number per channel and spatial dimension", rule_522}}},
    {"aten.fractional_max_pool2d_backward.default", {rule_18}, {
      {"fractional_max_pool2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"fractional_max_pool2d_backward.C2", "only the batch may be empty", rule_28},
      {"fractional_max_pool2d_backward.C3", "one window and one output size per spatial dimension", rule_520},
      {"fractional_max_pool2d_backward.C4", "the windows fit", rule_521},
      {"fractional_max_pool2d_backward.C5", "the gradient has the shape of the forward result", rule_523},
      {"fractional_max_pool2d_backward.C6", "one index per pooled element", rule_389}}},
    {"aten.fractional_max_pool3d.default", {rule_26, rule_26}, {
      {"fractional_max_pool3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"fractional_max_pool3d.C2", "only the batch may be empty", rule_390},
      {"fractional_max_pool3d.C3", "one window and one output size per spatial dimension", rule_524},
      {"fractional_max_pool3d.C4", "the windows fit", rule_525},
      {"fractional_max_pool3d.C5", "one uniform number per channel and spatial dimension", rule_526}}},
    {"aten.fractional_max_pool3d_backward.default", {rule_18}, {
      {"fractional_max_pool3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"fractional_max_pool3d_backward.C2", "only the batch may be empty", rule_390},
      {"fractional_max_pool3d_backward.C3", "one window and one output size per spatial dimension", rule_524},
      {"fractional_max_pool3d_backward.C4", "the windows fit", rule_525},
      {"fractional_max_pool3d_backward.C5", "the gradient has the shape of the forward result", rule_527},
      {"fractional_max_pool3d_backward.C6", "one index per pooled element", rule_389}}},
    {"aten.frexp.Tensor", {rule_18, rule_18}, {}},
    {"aten.full.default", {rule_115}, {}},
    {"aten.full_like.default", {rule_18}, {}},
    {"aten.gather.default", {rule_528}, {
      {"gather.C1", "the dimension exists", rule_262},
      {"gather.C2", "index and operand have one rank; a scalar counts as a vector", rule_529},
      {"gather.C3", "the index is not larger than the operand", rule_530},
      {"gather.C5", "only an empty index may have another dtype", rule_531}}},
    {"aten.gcd.default", {rule_19}, {}},
    {"aten.ge.Scalar", {rule_18}, {}},
    {"aten.ge.Tensor", {rule_19}, {}},
    {"aten.gelu.default", {rule_18}, {}},
    {"aten.gelu_backward.default", {rule_503}, {
      {"gelu_backward.C1", "the gradient has the shape of the point it is taken at", rule_283}}},
    {"aten.geometric.default", {rule_18}, {
      {"geometric.C1", "p is a probability between 0 and 1", rule_532}}},
    {"aten.geqrf.default", {rule_18, rule_533}, {
      {"geqrf.C1", "there are two dimensions at least", rule_239}}},
    {"aten.glu.default", {rule_534}, {
      {"glu.C1", "the halved dimension exists", rule_535},
      {"glu.C2", "the halved dimension is even", rule_536}}},
    {"aten.glu_backward.default", {rule_18}, {
      {"glu_backward.C1", "the halved dimension exists", rule_535},
      {"glu_backward.C2", "the gradient has the shape of the forward result", rule_537}}},
    {"aten.glu_backward_jvp.default", {rule_100}, {
      {"glu_backward_jvp.C1", "the halved dimension exists", rule_538},
      {"glu_backward_jvp.C2", "the halved dimension is even", rule_539},
      {"glu_backward_jvp.C3", "gradients and tangents have their shapes", rule_540},
      {"glu_backward_jvp.C4", "the gradient and its tangent have one shape", rule_541}}},
    {"aten.glu_jvp.default", {rule_542}, {
      {"glu_jvp.C1", "the halved dimension exists", rule_538},
      {"glu_jvp.C2", "the halved dimension is even", rule_539},
      {"glu_jvp.C3", "the tangent and the forward result have their shapes", rule_543}}},
    {"aten.grid_sampler_2d.default", {rule_544}, {
      {"grid_sampler_2d.C1", "the input is [N, C, *sizes], the grid [N, *out, axes]", rule_545},
      {"grid_sampler_2d.C2", "one coordinate per spatial dimension", rule_546},
      {"grid_sampler_2d.C3", "no spatial dimension is empty", rule_547},
      {"grid_sampler_2d.C4", "linear (0), nearest (1) or bicubic (2)", rule_548},
      {"grid_sampler_2d.C5", "zeros (0), the edge (1) or the mirror image (2)", rule_549}}},
    {"aten.grid_sampler_2d_backward.default", {rule_223, rule_550}, {
      {"grid_sampler_2d_backward.C1", "the input is [N, C, *sizes], the grid [N, *out, axes]", rule_545},
      {"grid_sampler_2d_backward.C2", "one coordinate per spatial dimension", rule_546},
      {"grid_sampler_2d_backward.C3", "no spatial dimension is empty", rule_547},
      {"grid_sampler_2d_backward.C4", "linear (0), nearest (1) or bicubic (2)", rule_548},
      {"grid_sampler_2d_backward.C5", "zeros (0), the edge (1) or the mirror image (2)", rule_549},
      {"grid_sampler_2d_backward.C6", "the gradient has the shape of the forward result", rule_551}}},
    {"aten.grid_sampler_3d.default", {rule_552}, {
      {"grid_sampler_3d.C1", "the input is [N, C, *sizes], the grid [N, *out, axes]", rule_553},
      {"grid_sampler_3d.C2", "one coordinate per spatial dimension", rule_554},
      {"grid_sampler_3d.C3", "no spatial dimension is empty", rule_547},
      {"grid_sampler_3d.C4", "linear (0), nearest (1)", rule_555},
      {"grid_sampler_3d.C5", "zeros (0), the edge (1) or the mirror image (2)", rule_549}}},
    {"aten.grid_sampler_3d_backward.default", {rule_223, rule_550}, {
      {"grid_sampler_3d_backward.C1", "the input is [N, C, *sizes], the grid [N, *out, axes]", rule_553},
      {"grid_sampler_3d_backward.C2", "one coordinate per spatial dimension", rule_554},
      {"grid_sampler_3d_backward.C3", "no spatial dimension is empty", rule_547},
      {"grid_sampler_3d_backward.C4", "linear (0), nearest (1)", rule_555},
      {"grid_sampler_3d_backward.C5", "zeros (0), the edge (1) or the mirror image (2)", rule_549},
      {"grid_sampler_3d_backward.C6", "the gradient has the shape of the forward result", rule_556}}},
    {"aten.gt.Scalar", {rule_18}, {}},
    {"aten.gt.Tensor", {rule_19}, {}},
    {"aten.hamming_window.default", {rule_431}, {
      {"hamming_window.C1", "the number of points is not negative", rule_432},
      {"hamming_window.C2", "windows are floating", rule_433}}},
    {"aten.hamming_window.periodic", {rule_431}, {
      {"hamming_window.periodic.C1", "the number of points is not negative", rule_432},
      {"hamming_window.periodic.C2", "windows are floating", rule_433}}},
    {"aten.hamming_window.periodic_alpha", {rule_431}, {
      {"hamming_window.periodic_alpha.C1", "the number of points is not negative", rule_432},
      {"hamming_window.periodic_alpha.C2", "windows are floating", rule_433}}},
    {"aten.hamming_window.periodic_alpha_beta", {rule_431}, {
      {"hamming_window.periodic_alpha_beta.C1", "the number of points is not negative", rule_432},
      {"hamming_window.periodic_alpha_beta.C2", "windows are floating", rule_433}}},
    {"aten.hann_window.default", {rule_431}, {
      {"hann_window.C1", "the number of points is not negative", rule_432},
      {"hann_window.C2", "windows are floating", rule_433}}},
    {"aten.hann_window.periodic", {rule_431}, {
      {"hann_window.periodic.C1", "the number of points is not negative", rule_432},
      {"hann_window.periodic.C2", "windows are floating", rule_433}}},
    {"aten.hardshrink.default", {rule_18}, {}},
    {"aten.hardshrink_backward.default", {rule_557}, {
      {"hardshrink_backward.C1", "the gradient has the shape of the point it is taken at", rule_558}}},
    {"aten.hardsigmoid.default", {rule_18}, {}},
    {"aten.hardsigmoid_backward.default", {rule_503}, {
      {"hardsigmoid_backward.C1", "the gradient has the shape of the point it is taken at", rule_283}}},
    {"aten.hardswish.default", {rule_18}, {}},
    {"aten.hardswish_backward.default", {rule_503}, {
      {"hardswish_backward.C1", "the gradient has the shape of the point it is taken at", rule_283}}},
    {"aten.hardtanh.default", {rule_18}, {}},
    {"aten.hardtanh_backward.default", {rule_503}, {
      {"hardtanh_backward.C1", "the gradient has the shape of the point it is taken at", rule_283}}},
    {"aten.hash_tensor.default", {rule_41}, {
      {"hash_tensor.C1", "dimensions exist and are listed once", rule_42},
      {"hash_tensor.C2", "the words are combined by exclusive or", rule_136},
      {"hash_tensor.C3", "something is there to be reduced", rule_43}}},
    {"aten.heaviside.default", {rule_559}, {
      {"heaviside.C1", "both operands have one dtype", rule_560}}},
    {"aten.histc.default", {rule_561}, {
      {"histc.C1", "there is a bin", rule_562},
      {"histc.C2", "the range is not reversed", rule_563}}},
    {"aten.histogram.bin_ct", {rule_561, rule_564}, {
      {"histogram.bin_ct.C1", "there is a bin", rule_562},
      {"histogram.bin_ct.C2", "there is a weight for each value", rule_565},
      {"histogram.bin_ct.C3", "a range has two ends", rule_566}}},
    {"aten.histogram.bins_tensor", {rule_567, rule_243}, {
      {"histogram.bins_tensor.C1", "there are two edges", rule_568},
      {"histogram.bins_tensor.C2", "there is a weight for each value", rule_565}}},
    {"aten.huber_loss.default", {rule_442}, {
      {"huber_loss.C1", "input and target have one shape", rule_443},
      {"huber_loss.C2", "reduction is none, mean or sum", rule_444},
      {"huber_loss.C3", "delta is positive", rule_569}}},
    {"aten.huber_loss_backward.default", {rule_18}, {
      {"huber_loss_backward.C1", "input and target have one shape", rule_443},
      {"huber_loss_backward.C2", "reduction is none, mean or sum", rule_444},
      {"huber_loss_backward.C3", "delta is positive", rule_569},
      {"huber_loss_backward.C4", "the gradient has the shape of the loss", rule_446}}},
    {"aten.hypot.default", {rule_19}, {}},
    {"aten.i0.default", {rule_18}, {}},
    {"aten.igamma.default", {rule_19}, {}},
    {"aten.igammac.default", {rule_19}, {}},
    {"aten.im2col.default", {rule_570}, {
      {"im2col.C1", "the input is [C, H, W] or [N, C, H, W]", rule_21},
      {"im2col.C2", "one value for each of the two dimensions", rule_475},
      {"im2col.C3", "kernel, dilation and stride are positive, the padding is not negative", rule_476},
      {"im2col.C4", "only the batch may be empty", rule_28},
      {"im2col.C5", "a window fits", rule_571}}},
    {"aten.index.Tensor", {rule_354}, {
      {"index.Tensor.C1", "no more indices than dimensions, and masks as large as what they cover", rule_245}}},
    {"aten.index_add.default", {rule_18}, {
      {"index_add.C1", "the dimension exists", rule_262},
      {"index_add.C2", "the index is a vector", rule_572},
      {"index_add.C3", "the source has one slice for each index", rule_573}}},
    {"aten.index_copy.default", {rule_18}, {
      {"index_copy.C1", "the dimension exists", rule_262},
      {"index_copy.C2", "the index is a vector", rule_572},
      {"index_copy.C3", "the source has one slice for each index", rule_573}}},
    {"aten.index_fill.int_Scalar", {rule_18}, {
      {"index_fill.int_Scalar.C1", "the dimension exists", rule_262},
      {"index_fill.int_Scalar.C2", "the index is a vector", rule_572}}},
    {"aten.index_fill.int_Tensor", {rule_18}, {
      {"index_fill.int_Tensor.C1", "the dimension exists", rule_262},
      {"index_fill.int_Tensor.C2", "the index is a vector", rule_572},
      {"index_fill.int_Tensor.C3", "the value is a scalar", rule_518}}},
    {"aten.index_put.default", {rule_18}, {
      {"index_put.C1", "no more indices than dimensions, and masks as large as what they cover", rule_245},
      {"index_put.C2", "the values broadcast to what is indexed", rule_246}}},
    {"aten.index_reduce.default", {rule_18}, {
      {"index_reduce.C1", "the dimension exists", rule_262},
      {"index_reduce.C2", "the index is a vector", rule_572},
      {"index_reduce.C3", "the source has one slice for each index", rule_573},
      {"index_reduce.C4", "sums are index_add", rule_574},
      {"index_reduce.C5", "bools have no mean", rule_575}}},
    {"aten.index_select.default", {rule_576}, {
      {"index_select.C1", "the dimension exists", rule_262},
      {"index_select.C2", "the index is a vector", rule_572},
      {"index_select.C3", "a scalar has one slice", rule_577}}},
    {"aten.isin.Scalar_Tensor", {rule_104}, {}},
    {"aten.isin.Tensor_Scalar", {rule_578}, {}},
    {"aten.isin.Tensor_Tensor", {rule_578}, {}},
    {"aten.isinf.default", {rule_18}, {}},
    {"aten.isnan.default", {rule_18}, {}},
    {"aten.isneginf.default", {rule_18}, {}},
    {"aten.isposinf.default", {rule_18}, {}},
    {"aten.kaiser_window.beta", {rule_431}, {
      {"kaiser_window.beta.C1", "the number of points is not negative", rule_432},
      {"kaiser_window.beta.C2", "windows are floating", rule_433}}},
    {"aten.kaiser_window.default", {rule_431}, {
      {"kaiser_window.C1", "the number of points is not negative", rule_432},
      {"kaiser_window.C2", "windows are floating", rule_433}}},
    {"aten.kaiser_window.periodic", {rule_431}, {
      {"kaiser_window.periodic.C1", "the number of points is not negative", rule_432},
      {"kaiser_window.periodic.C2", "windows are floating", rule_433}}},
    {"aten.kthvalue.default", {rule_41, rule_41}, {
      {"kthvalue.C1", "the dimension exists", rule_262},
      {"kthvalue.C2", "there is something to choose from", rule_579},
      {"kthvalue.C3", "there are k elements", rule_580}}},
    {"aten.lcm.default", {rule_19}, {}},
    {"aten.ldexp.Tensor", {rule_19}, {
      {"ldexp.Tensor.C1", "the exponent of a float is a number", rule_581},
      {"ldexp.Tensor.C2", "the exponent of a complex number is not float16", rule_582}}},
    {"aten.le.Scalar", {rule_18}, {}},
    {"aten.le.Tensor", {rule_19}, {}},
    {"aten.leaky_relu.default", {rule_18}, {}},
    {"aten.leaky_relu_backward.default", {rule_503}, {
      {"leaky_relu_backward.C1", "the gradient has the shape of the point it is taken at", rule_283}}},
    {"aten.lerp.Scalar", {rule_583}, {
      {"lerp.Scalar.C1", "all operands have one dtype", rule_584}}},
    {"aten.lerp.Tensor", {rule_585}, {
      {"lerp.Tensor.C1", "all operands have one dtype", rule_584},
      {"lerp.Tensor.C2", "all operands have one dtype", rule_586}}},
    {"aten.lgamma.default", {rule_18}, {}},
    {"aten.lift.default", {rule_18}, {}},
    {"aten.lift_fresh.default", {rule_18}, {}},
    {"aten.lift_fresh_copy.default", {rule_18}, {}},
    {"aten.linalg__powsum.default", {rule_41}, {
      {"linalg__powsum.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.linalg_cholesky_ex.default", {rule_18, rule_587}, {
      {"linalg_cholesky_ex.C1", "the matrices are square", rule_255}}},
    {"aten.linalg_cross.default", {rule_19}, {
      {"linalg_cross.C1", "both have as many dimensions", rule_509},
      {"linalg_cross.C2", "vectors have three elements", rule_588}}},
    {"aten.linalg_eig.default", {rule_254, rule_18}, {
      {"linalg_eig.C1", "the matrices are square", rule_255}}},
    {"aten.linalg_householder_product.default", {rule_5}, {
      {"linalg_householder_product.C1", "there are two dimensions at least", rule_53},
      {"linalg_householder_product.C2", "there are at least as many rows as columns", rule_589},
      {"linalg_householder_product.C3", "there are at most as many reflectors as columns", rule_590},
      {"linalg_householder_product.C4", "there are reflectors for each matrix", rule_591}}},
    {"aten.linalg_inv_ex.default", {rule_250, rule_249}, {
      {"linalg_inv_ex.C1", "the matrices are square", rule_70}}},
    {"aten.linalg_ldl_factor_ex.default", {rule_18, rule_254, rule_587}, {
      {"linalg_ldl_factor_ex.C1", "the matrices are square", rule_255}}},
    {"aten.linalg_ldl_solve.default", {rule_592}, {
      {"linalg_ldl_solve.C1", "the matrices are square", rule_593},
      {"linalg_ldl_solve.C2", "the right-hand sides have a row for each equation", rule_594},
      {"linalg_ldl_solve.C3", "there is a pivot for each row", rule_595}}},
    {"aten.linalg_lstsq.default", {rule_596, rule_597, rule_598, rule_599}, {
      {"linalg_lstsq.C1", "there are two dimensions at least", rule_239},
      {"linalg_lstsq.C2", "there are right-hand sides for each matrix", rule_600},
      {"linalg_lstsq.C3", "gels takes the rank to be full", rule_601}}},
    {"aten.linalg_lu.default", {rule_602, rule_603, rule_604}, {
      {"linalg_lu.C1", "there are two dimensions at least", rule_261},
      {"linalg_lu.C2", "rows are exchanged", rule_605}}},
    {"aten.linalg_lu_factor_ex.default", {rule_250, rule_259, rule_249}, {
      {"linalg_lu_factor_ex.C1", "there are two dimensions at least", rule_261},
      {"linalg_lu_factor_ex.C2", "rows are exchanged", rule_605}}},
    {"aten.linalg_lu_solve.default", {rule_606}, {
      {"linalg_lu_solve.C1", "the matrices are square", rule_607},
      {"linalg_lu_solve.C2", "the right-hand sides have a row for each equation", rule_608},
      {"linalg_lu_solve.C3", "there is a pivot for each row", rule_609}}},
    {"aten.linalg_matrix_exp.default", {rule_18}, {
      {"linalg_matrix_exp.C1", "the matrices are square", rule_255}}},
    {"aten.linalg_pinv.atol_rtol_tensor", {rule_610}, {
      {"linalg_pinv.atol_rtol_tensor.C1", "there are two dimensions at least", rule_239},
      {"linalg_pinv.atol_rtol_tensor.C2", "a Hermitian matrix is square", rule_611}}},
    {"aten.linalg_qr.default", {rule_612, rule_613}, {
      {"linalg_qr.C1", "there are two dimensions at least", rule_261},
      {"linalg_qr.C2", "the mode exists", rule_614}}},
    {"aten.linalg_solve_triangular.default", {rule_615}, {
      {"linalg_solve_triangular.C1", "the matrices are square", rule_255},
      {"linalg_solve_triangular.C2", "the right-hand sides have a row for each equation", rule_616}}},
    {"aten.linalg_vector_norm.default", {rule_41}, {
      {"linalg_vector_norm.C1", "dimensions exist and are listed once", rule_42},
      {"linalg_vector_norm.C2", "no elements have a norm of a finite order that is not negative only", rule_617},
      {"linalg_vector_norm.C3", "the elements are widened, not narrowed, and stay real or complex", rule_618}}},
    {"aten.linear_backward.default", {rule_18, rule_619, rule_620}, {
      {"linear_backward.C1", "the weight is a matrix", rule_621},
      {"linear_backward.C2", "the shapes fit", rule_622}}},
    {"aten.linspace.Scalar_Tensor", {rule_623}, {
      {"linspace.Scalar_Tensor.C1", "the number of steps is not negative", rule_624},
      {"linspace.Scalar_Tensor.C2", "end is a number", rule_625}}},
    {"aten.linspace.Tensor_Scalar", {rule_623}, {
      {"linspace.Tensor_Scalar.C1", "the number of steps is not negative", rule_624},
      {"linspace.Tensor_Scalar.C2", "start is a number", rule_626}}},
    {"aten.linspace.Tensor_Tensor", {rule_623}, {
      {"linspace.Tensor_Tensor.C1", "the number of steps is not negative", rule_624},
      {"linspace.Tensor_Tensor.C2", "start is a number", rule_626},
      {"linspace.Tensor_Tensor.C3", "end is a number", rule_625}}},
    {"aten.linspace.default", {rule_623}, {
      {"linspace.C1", "the number of steps is not negative", rule_624}}},
    {"aten.log.default", {rule_18}, {}},
    {"aten.log10.default", {rule_18}, {}},
    {"aten.log1p.default", {rule_18}, {}},
    {"aten.log2.default", {rule_18}, {}},
    {"aten.log_normal.default", {rule_18}, {
      {"log_normal.C1", "std is positive", rule_627}}},
    {"aten.log_sigmoid_backward.default", {rule_18}, {
      {"log_sigmoid_backward.C1", "the gradient has the shape of the input", rule_283}}},
    {"aten.log_sigmoid_forward.default", {rule_18, rule_18}, {}},
    {"aten.logaddexp.default", {rule_19}, {}},
    {"aten.logaddexp2.default", {rule_19}, {}},
    {"aten.logcumsumexp.default", {rule_18}, {
      {"logcumsumexp.C1", "the dimension exists", rule_262}}},
    {"aten.logical_and.default", {rule_19}, {}},
    {"aten.logical_not.default", {rule_18}, {}},
    {"aten.logical_or.default", {rule_19}, {}},
    {"aten.logical_xor.default", {rule_19}, {}},
    {"aten.logit.default", {rule_18}, {}},
    {"aten.logit_backward.default", {rule_503}, {
      {"logit_backward.C1", "the gradient has the shape of the point it is taken at", rule_283}}},
    {"aten.logspace.Scalar_Tensor", {rule_623}, {
      {"logspace.Scalar_Tensor.C1", "the number of steps is not negative", rule_624},
      {"logspace.Scalar_Tensor.C2", "end is a number", rule_625}}},
    {"aten.logspace.Tensor_Scalar", {rule_623}, {
      {"logspace.Tensor_Scalar.C1", "the number of steps is not negative", rule_624},
      {"logspace.Tensor_Scalar.C2", "start is a number", rule_626}}},
    {"aten.logspace.Tensor_Tensor", {rule_623}, {
      {"logspace.Tensor_Tensor.C1", "the number of steps is not negative", rule_624},
      {"logspace.Tensor_Tensor.C2", "start is a number", rule_626},
      {"logspace.Tensor_Tensor.C3", "end is a number", rule_625}}},
    {"aten.logspace.default", {rule_623}, {
      {"logspace.C1", "the number of steps is not negative", rule_624}}},
    {"aten.logsumexp.default", {rule_41}, {
      {"logsumexp.C1", "dimensions exist and are listed once", rule_42},
      {"logsumexp.C2", "something is there to be reduced", rule_43}}},
    {"aten.lt.Scalar", {rule_18}, {}},
    {"aten.lt.Tensor", {rule_19}, {}},
    {"aten.lu_unpack.default", {rule_628, rule_629, rule_630}, {
      {"lu_unpack.C1", "there are two dimensions at least", rule_631},
      {"lu_unpack.C2", "there is a pivot for each step", rule_632}}},
    {"aten.masked_fill.Scalar", {rule_633}, {}},
    {"aten.masked_fill.Tensor", {rule_633}, {
      {"masked_fill.Tensor.C1", "the value is a scalar", rule_518}}},
    {"aten.masked_scatter.default", {rule_633}, {}},
    {"aten.masked_scatter_backward.default", {rule_634}, {}},
    {"aten.masked_select.default", {rule_635}, {}},
    {"aten.max.default", {rule_39}, {
      {"max.C1", "an empty tensor has no extreme", rule_40}}},
    {"aten.max.dim", {rule_41, rule_41}, {
      {"max.dim.C1", "dimensions exist and are listed once", rule_42},
      {"max.dim.C2", "something is there to be reduced", rule_43}}},
    {"aten.max_pool2d_with_indices.default", {rule_636, rule_636}, {
      {"max_pool2d_with_indices.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"max_pool2d_with_indices.C2", "the window has one size, or one per spatial dimension", rule_421},
      {"max_pool2d_with_indices.C3", "padding is at most half the window", rule_422},
      {"max_pool2d_with_indices.C4", "only the batch may be empty", rule_28}}},
    {"aten.max_pool2d_with_indices_backward.default", {rule_18}, {
      {"max_pool2d_with_indices_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"max_pool2d_with_indices_backward.C2", "the window has one size, or one per spatial dimension", rule_421},
      {"max_pool2d_with_indices_backward.C3", "padding is at most half the window", rule_422},
      {"max_pool2d_with_indices_backward.C4", "only the batch may be empty", rule_28},
      {"max_pool2d_with_indices_backward.C5", "the gradient has the shape of the forward result", rule_637},
      {"max_pool2d_with_indices_backward.C6", "one index per pooled element", rule_389}}},
    {"aten.max_pool3d_with_indices.default", {rule_638, rule_638}, {
      {"max_pool3d_with_indices.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"max_pool3d_with_indices.C2", "the window has one size, or one per spatial dimension", rule_426},
      {"max_pool3d_with_indices.C3", "padding is at most half the window", rule_422},
      {"max_pool3d_with_indices.C4", "only the batch may be empty", rule_390}}},
    {"aten.max_pool3d_with_indices_backward.default", {rule_18}, {
      {"max_pool3d_with_indices_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"max_pool3d_with_indices_backward.C2", "the window has one size, or one per spatial dimension", rule_426},
      {"max_pool3d_with_indices_backward.C3", "padding is at most half the window", rule_422},
      {"max_pool3d_with_indices_backward.C4", "only the batch may be empty", rule_390},
      {"max_pool3d_with_indices_backward.C5", "the gradient has the shape of the forward result", rule_639},
      {"max_pool3d_with_indices_backward.C6", "one index per pooled element", rule_389}}},
    {"aten.max_unpool2d.default", {rule_20}, {
      {"max_unpool2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"max_unpool2d.C2", "only the batch may be empty", rule_28},
      {"max_unpool2d.C3", "one index per element", rule_640},
      {"max_unpool2d.C4", "one output size per spatial dimension", rule_23}}},
    {"aten.max_unpool3d.default", {rule_26}, {
      {"max_unpool3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"max_unpool3d.C2", "only the batch may be empty", rule_390},
      {"max_unpool3d.C3", "one index per element", rule_640},
      {"max_unpool3d.C4", "one output size per spatial dimension", rule_29},
      {"max_unpool3d.C5", "the stride is positive", rule_641}}},
    {"aten.maximum.default", {rule_19}, {}},
    {"aten.mean.default", {rule_39}, {
      {"mean.C1", "integers have a mean in a given dtype", rule_642}}},
    {"aten.mean.dim", {rule_41}, {
      {"mean.dim.C1", "dimensions exist and are listed once", rule_42},
      {"mean.dim.C2", "integers have a mean in a given dtype", rule_642}}},
    {"aten.median.default", {rule_104}, {}},
    {"aten.median.dim", {rule_41, rule_41}, {
      {"median.dim.C1", "the dimension exists", rule_262},
      {"median.dim.C2", "there is something to choose from", rule_579}}},
    {"aten.min.default", {rule_39}, {
      {"min.C1", "an empty tensor has no extreme", rule_40}}},
    {"aten.min.dim", {rule_41, rule_41}, {
      {"min.dim.C1", "dimensions exist and are listed once", rule_42},
      {"min.dim.C2", "something is there to be reduced", rule_43}}},
    {"aten.minimum.default", {rule_19}, {}},
    {"aten.mish.default", {rule_18}, {}},
    {"aten.mish_backward.default", {rule_503}, {
      {"mish_backward.C1", "the gradient has the shape of the point it is taken at", rule_283}}},
    {"aten.mm.default", {rule_247}, {
      {"mm.C1", "both operands are matrices", rule_643},
      {"mm.C2", "the inner sizes are equal", rule_644}}},
    {"aten.mm.dtype", {rule_247}, {
      {"mm.dtype.C1", "both operands are matrices", rule_643},
      {"mm.dtype.C2", "the inner sizes are equal", rule_644},
      {"mm.dtype.C3", "products are rounded or float32", rule_458}}},
    {"aten.mode.default", {rule_41, rule_41}, {
      {"mode.C1", "the dimension exists", rule_262},
      {"mode.C2", "there is something to choose from", rule_579}}},
    {"aten.mse_loss.default", {rule_442}, {
      {"mse_loss.C1", "input and target have one shape", rule_443},
      {"mse_loss.C2", "reduction is none, mean or sum", rule_444}}},
    {"aten.mse_loss_backward.default", {rule_18}, {
      {"mse_loss_backward.C1", "input and target have one shape", rule_443},
      {"mse_loss_backward.C2", "reduction is none, mean or sum", rule_444},
      {"mse_loss_backward.C3", "the gradient has the shape of the loss", rule_446}}},
    {"aten.mul.Scalar", {rule_18}, {}},
    {"aten.mul.Tensor", {rule_19}, {}},
    {"aten.multi_margin_loss.default", {rule_645}, {
      {"multi_margin_loss.C1", "the input is [C] or [N, C] and has classes", rule_646},
      {"multi_margin_loss.C2", "reduction is none, mean or sum", rule_444},
      {"multi_margin_loss.C3", "one target for each row", rule_647},
      {"multi_margin_loss.C4", "one weight for each class", rule_648},
      {"multi_margin_loss.C5", "the power is 1 or 2", rule_649}}},
    {"aten.multi_margin_loss_backward.default", {rule_18}, {
      {"multi_margin_loss_backward.C1", "the input is [C] or [N, C] and has classes", rule_646},
      {"multi_margin_loss_backward.C2", "reduction is none, mean or sum", rule_444},
      {"multi_margin_loss_backward.C3", "one target for each row", rule_647},
      {"multi_margin_loss_backward.C4", "one weight for each class", rule_648},
      {"multi_margin_loss_backward.C5", "the power is 1 or 2", rule_649},
      {"multi_margin_loss_backward.C6", "the gradient has the shape of the loss", rule_650}}},
    {"aten.multilabel_margin_loss_backward.default", {rule_18}, {
      {"multilabel_margin_loss_backward.C1", "the input is [C] or [N, C] and has classes", rule_646},
      {"multilabel_margin_loss_backward.C2", "reduction is none, mean or sum", rule_444},
      {"multilabel_margin_loss_backward.C3", "labels for each row, the first negative one ends them", rule_651},
      {"multilabel_margin_loss_backward.C4", "is_target tells for each class", rule_652},
      {"multilabel_margin_loss_backward.C5", "the gradient has the shape of the loss", rule_650}}},
    {"aten.multilabel_margin_loss_forward.default", {rule_645, rule_653}, {
      {"multilabel_margin_loss_forward.C1", "the input is [C] or [N, C] and has classes", rule_646},
      {"multilabel_margin_loss_forward.C2", "reduction is none, mean or sum", rule_444},
      {"multilabel_margin_loss_forward.C3", "labels for each row, the first negative one ends them", rule_651}}},
    {"aten.multinomial.default", {rule_654}, {
      {"multinomial.C1", "the weights are one row or a matrix of rows", rule_36},
      {"multinomial.C2", "there are enough categories", rule_655}}},
    {"aten.mv.default", {rule_656}, {
      {"mv.C1", "a matrix and a vector", rule_657},
      {"mv.C2", "the inner sizes are equal", rule_658}}},
    {"aten.mvlgamma.default", {rule_18}, {
      {"mvlgamma.C1", "the dimension is positive", rule_659}}},
    {"aten.nan_to_num.default", {rule_18}, {}},
    {"aten.nanmedian.default", {rule_104}, {}},
    {"aten.nanmedian.dim", {rule_41, rule_41}, {
      {"nanmedian.dim.C1", "the dimension exists", rule_262},
      {"nanmedian.dim.C2", "there is something to choose from", rule_579}}},
    {"aten.nansum.default", {rule_41}, {
      {"nansum.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.narrow_copy.default", {rule_660}, {
      {"narrow_copy.C1", "a scalar has no slices", rule_287},
      {"narrow_copy.C2", "the dimension exists", rule_262},
      {"narrow_copy.C3", "the length is not negative", rule_661},
      {"narrow_copy.C4", "the slice ends inside of the dimension", rule_662},
      {"narrow_copy.C5", "the slice starts inside of the dimension", rule_663}}},
    {"aten.native_batch_norm.default", {rule_5, rule_275, rule_275}, {
      {"native_batch_norm.C1", "the input is [N, C, …]", rule_53},
      {"native_batch_norm.C2", "the input has elements", rule_54},
      {"native_batch_norm.C3", "weight has shape input[1:2]", rule_55},
      {"native_batch_norm.C4", "bias has shape input[1:2]", rule_56},
      {"native_batch_norm.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"native_batch_norm.C6", "running statistics are used or there are none: to update them is not functional", rule_664},
      {"native_batch_norm.C7", "one running mean and variance per channel", rule_665}}},
    {"aten.native_batch_norm_backward.default", {rule_223, rule_434, rule_435}, {
      {"native_batch_norm_backward.C1", "the input is [N, C, …] and has elements", rule_436},
      {"native_batch_norm_backward.C2", "the gradient has the shape of the input", rule_225},
      {"native_batch_norm_backward.C3", "weight has shape input[1:2]", rule_55},
      {"native_batch_norm_backward.C4", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"native_batch_norm_backward.C5", "training saved its statistics", rule_666},
      {"native_batch_norm_backward.C6", "evaluation has running statistics", rule_667}}},
    {"aten.native_dropout.default", {rule_5, rule_5}, {
      {"native_dropout.C1", "p is a probability", rule_668}}},
    {"aten.native_dropout_backward.default", {rule_503}, {
      {"native_dropout_backward.C1", "one mask element per gradient", rule_669}}},
    {"aten.native_group_norm.default", {rule_5, rule_670, rule_670}, {
      {"native_group_norm.C1", "the input is [N, C, …]", rule_671},
      {"native_group_norm.C2", "HxW is the product of the spatial sizes", rule_672},
      {"native_group_norm.C3", "the channels divide into the groups", rule_673},
      {"native_group_norm.C4", "weight has shape [C]", rule_674},
      {"native_group_norm.C5", "bias has shape [C]", rule_675},
      {"native_group_norm.C6", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57}}},
    {"aten.native_group_norm_backward.default", {rule_223, rule_676, rule_677}, {
      {"native_group_norm_backward.C1", "the input is [N, C, …]", rule_671},
      {"native_group_norm_backward.C2", "HxW is the product of the spatial sizes", rule_672},
      {"native_group_norm_backward.C3", "the channels divide into the groups", rule_673},
      {"native_group_norm_backward.C4", "the gradient has the shape of the input", rule_225},
      {"native_group_norm_backward.C5", "one mean and one rstd per sample and group", rule_678},
      {"native_group_norm_backward.C6", "weight has shape [C]", rule_674},
      {"native_group_norm_backward.C7", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57}}},
    {"aten.native_layer_norm.default", {rule_5, rule_220, rule_220}, {
      {"native_layer_norm.C1", "the input ends in normalized_shape", rule_221},
      {"native_layer_norm.C2", "weight has shape normalized_shape", rule_222},
      {"native_layer_norm.C3", "bias has shape normalized_shape", rule_679},
      {"native_layer_norm.C4", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57}}},
    {"aten.native_layer_norm_backward.default", {rule_223, rule_224, rule_680}, {
      {"native_layer_norm_backward.C1", "the input ends in normalized_shape", rule_221},
      {"native_layer_norm_backward.C2", "the gradient has the shape of the input", rule_225},
      {"native_layer_norm_backward.C3", "one mean and one rstd per row", rule_681},
      {"native_layer_norm_backward.C4", "weight has shape normalized_shape", rule_222},
      {"native_layer_norm_backward.C5", "bias has shape normalized_shape", rule_679},
      {"native_layer_norm_backward.C6", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57}}},
    {"aten.ne.Scalar", {rule_18}, {}},
    {"aten.ne.Tensor", {rule_19}, {}},
    {"aten.neg.default", {rule_18}, {}},
    {"aten.new_empty.default", {rule_115}, {}},
    {"aten.new_empty_strided.default", {rule_115}, {
      {"new_empty_strided.C1", "one stride a dimension", rule_285}}},
    {"aten.new_full.default", {rule_115}, {}},
    {"aten.new_ones.default", {rule_115}, {}},
    {"aten.new_zeros.default", {rule_115}, {}},
    {"aten.nextafter.default", {rule_19}, {}},
    {"aten.nll_loss2d_backward.default", {rule_18}, {
      {"nll_loss2d_backward.C1", "the input is [N, C, H, W]", rule_357},
      {"nll_loss2d_backward.C2", "one target per row", rule_682},
      {"nll_loss2d_backward.C3", "one weight per class", rule_683},
      {"nll_loss2d_backward.C4", "reduction is none, mean or sum", rule_444},
      {"nll_loss2d_backward.C5", "the gradient has the shape of the loss", rule_684},
      {"nll_loss2d_backward.C6", "the total weight is one number", rule_685}}},
    {"aten.nll_loss2d_forward.default", {rule_686, rule_104}, {
      {"nll_loss2d_forward.C1", "the input is [N, C, H, W]", rule_357},
      {"nll_loss2d_forward.C2", "one target per row", rule_682},
      {"nll_loss2d_forward.C3", "one weight per class", rule_683},
      {"nll_loss2d_forward.C4", "reduction is none, mean or sum", rule_444}}},
    {"aten.nll_loss_backward.default", {rule_18}, {
      {"nll_loss_backward.C1", "the input is [C] or [N, C]", rule_36},
      {"nll_loss_backward.C2", "one target per row", rule_687},
      {"nll_loss_backward.C3", "one weight per class", rule_688},
      {"nll_loss_backward.C4", "reduction is none, mean or sum", rule_444},
      {"nll_loss_backward.C5", "the gradient has the shape of the loss", rule_689},
      {"nll_loss_backward.C6", "the total weight is one number", rule_685}}},
    {"aten.nll_loss_forward.default", {rule_690, rule_104}, {
      {"nll_loss_forward.C1", "the input is [C] or [N, C]", rule_36},
      {"nll_loss_forward.C2", "one target per row", rule_687},
      {"nll_loss_forward.C3", "one weight per class", rule_688},
      {"nll_loss_forward.C4", "reduction is none, mean or sum", rule_444}}},
    {"aten.nonzero.default", {rule_691}, {}},
    {"aten.nonzero_static.default", {rule_692}, {
      {"nonzero_static.C1", "the number of rows is not negative", rule_693}}},
    {"aten.norm.Scalar", {rule_39}, {
      {"norm.Scalar.C1", "no elements have a norm of a finite order that is not negative only", rule_694}}},
    {"aten.norm.ScalarOpt_dim", {rule_41}, {
      {"norm.ScalarOpt_dim.C1", "dimensions exist and are listed once", rule_42},
      {"norm.ScalarOpt_dim.C2", "no elements have a norm of a finite order that is not negative only", rule_695}}},
    {"aten.norm.ScalarOpt_dim_dtype", {rule_41}, {
      {"norm.ScalarOpt_dim_dtype.C1", "dimensions exist and are listed once", rule_42},
      {"norm.ScalarOpt_dim_dtype.C2", "no elements have a norm of a finite order that is not negative only", rule_695},
      {"norm.ScalarOpt_dim_dtype.C3", "the elements are widened, not narrowed, and stay real or complex", rule_618}}},
    {"aten.norm.ScalarOpt_dtype", {rule_39}, {
      {"norm.ScalarOpt_dtype.C1", "no elements have a norm of a finite order that is not negative only", rule_694},
      {"norm.ScalarOpt_dtype.C2", "the elements are widened, not narrowed, and stay real or complex", rule_618}}},
    {"aten.normal.Tensor_Tensor", {rule_696}, {}},
    {"aten.normal.Tensor_float", {rule_697}, {
      {"normal.Tensor_float.C1", "the deviation is not negative", rule_698}}},
    {"aten.normal.float_Tensor", {rule_699}, {}},
    {"aten.normal.float_float", {rule_115}, {
      {"normal.float_float.C1", "the deviation is not negative", rule_698}}},
    {"aten.normal_functional.default", {rule_18}, {
      {"normal_functional.C1", "the deviation is not negative", rule_698}}},
    {"aten.ones.default", {rule_115}, {}},
    {"aten.ones_like.default", {rule_18}, {}},
    {"aten.ormqr.default", {rule_700}, {
      {"ormqr.C1", "there are two dimensions at least", rule_239},
      {"ormqr.C2", "the other matrix fits the product of the reflectors", rule_701},
      {"ormqr.C3", "both have one batch", rule_702},
      {"ormqr.C4", "there are reflectors for each matrix", rule_703},
      {"ormqr.C5", "there are at most as many reflectors as rows", rule_704}}},
    {"aten.permute.default", {rule_705}, {
      {"permute.C1", "every dimension is listed once", rule_706}}},
    {"aten.permute_copy.default", {rule_705}, {
      {"permute_copy.C1", "every dimension is listed once", rule_706}}},
    {"aten.pixel_shuffle.default", {rule_707}, {
      {"pixel_shuffle.C1", "the input is [*, C, H, W]", rule_462},
      {"pixel_shuffle.C2", "the channels divide by the square of the factor", rule_708}}},
    {"aten.pixel_unshuffle.default", {rule_709}, {
      {"pixel_unshuffle.C1", "the input is [*, C, H, W]", rule_462},
      {"pixel_unshuffle.C2", "height and width divide by the factor", rule_710}}},
    {"aten.poisson.default", {rule_18}, {}},
    {"aten.polar.default", {rule_711}, {}},
    {"aten.polygamma.default", {rule_18}, {
      {"polygamma.C1", "the order of the derivative is not negative", rule_712}}},
    {"aten.pow.Scalar", {rule_194}, {}},
    {"aten.pow.Tensor_Scalar", {rule_18}, {}},
    {"aten.pow.Tensor_Tensor", {rule_713}, {}},
    {"aten.prod.default", {rule_39}, {}},
    {"aten.prod.dim_int", {rule_41}, {
      {"prod.dim_int.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.put.default", {rule_18}, {
      {"put.C1", "there is a source element for every index", rule_714},
      {"put.C2", "there is something to put into", rule_715}}},
    {"aten.rad2deg.default", {rule_18}, {}},
    {"aten.rand.default", {rule_115}, {}},
    {"aten.rand_like.default", {rule_18}, {}},
    {"aten.randint.default", {rule_115}, {
      {"randint.C1", "the interval is not empty", rule_716}}},
    {"aten.randint.low", {rule_115}, {
      {"randint.low.C1", "the interval is not empty", rule_717}}},
    {"aten.randint_like.Tensor", {rule_18}, {
      {"randint_like.Tensor.C1", "the bound is one number", rule_718}}},
    {"aten.randint_like.default", {rule_18}, {
      {"randint_like.C1", "the interval is not empty", rule_716}}},
    {"aten.randint_like.low_dtype", {rule_18}, {
      {"randint_like.low_dtype.C1", "the interval is not empty", rule_717}}},
    {"aten.randn.default", {rule_115}, {}},
    {"aten.randn_like.default", {rule_18}, {}},
    {"aten.random.default", {rule_18}, {}},
    {"aten.random.from", {rule_18}, {
      {"random.from.C1", "the bound fits the dtype", rule_719}}},
    {"aten.random.to", {rule_18}, {
      {"random.to.C1", "the interval is not empty", rule_720}}},
    {"aten.randperm.default", {rule_515}, {
      {"randperm.C1", "the number of elements is not negative", rule_712}}},
    {"aten.range.default", {rule_721}, {
      {"range.C1", "an integer ramp has integer bounds", rule_414}}},
    {"aten.range.step", {rule_722}, {
      {"range.step.C1", "the step is not zero", rule_416},
      {"range.step.C2", "the bounds fit the sign of the step", rule_723},
      {"range.step.C3", "an integer ramp has integer bounds", rule_414}}},
    {"aten.reciprocal.default", {rule_18}, {}},
    {"aten.reflection_pad1d.default", {rule_724}, {
      {"reflection_pad1d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_473},
      {"reflection_pad1d.C2", "two paddings per spatial dimension, the last dimension first", rule_725},
      {"reflection_pad1d.C3", "only the batch may be empty", rule_22},
      {"reflection_pad1d.C4", "something is left", rule_726},
      {"reflection_pad1d.C5", "padding is smaller than the dimension that is mirrored", rule_727}}},
    {"aten.reflection_pad1d_backward.default", {rule_18}, {
      {"reflection_pad1d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_473},
      {"reflection_pad1d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_725},
      {"reflection_pad1d_backward.C3", "only the batch may be empty", rule_22},
      {"reflection_pad1d_backward.C4", "something is left", rule_726},
      {"reflection_pad1d_backward.C5", "padding is smaller than the dimension that is mirrored", rule_727},
      {"reflection_pad1d_backward.C6", "the gradient has the shape of the forward result", rule_728}}},
    {"aten.reflection_pad2d.default", {rule_724}, {
      {"reflection_pad2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"reflection_pad2d.C2", "two paddings per spatial dimension, the last dimension first", rule_729},
      {"reflection_pad2d.C3", "only the batch may be empty", rule_28},
      {"reflection_pad2d.C4", "something is left", rule_730},
      {"reflection_pad2d.C5", "padding is smaller than the dimension that is mirrored", rule_731}}},
    {"aten.reflection_pad2d_backward.default", {rule_18}, {
      {"reflection_pad2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"reflection_pad2d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_729},
      {"reflection_pad2d_backward.C3", "only the batch may be empty", rule_28},
      {"reflection_pad2d_backward.C4", "something is left", rule_730},
      {"reflection_pad2d_backward.C5", "padding is smaller than the dimension that is mirrored", rule_731},
      {"reflection_pad2d_backward.C6", "the gradient has the shape of the forward result", rule_728}}},
    {"aten.reflection_pad3d.default", {rule_724}, {
      {"reflection_pad3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"reflection_pad3d.C2", "two paddings per spatial dimension, the last dimension first", rule_732},
      {"reflection_pad3d.C3", "only the batch may be empty", rule_390},
      {"reflection_pad3d.C4", "something is left", rule_733},
      {"reflection_pad3d.C5", "padding is smaller than the dimension that is mirrored", rule_734}}},
    {"aten.reflection_pad3d_backward.default", {rule_18}, {
      {"reflection_pad3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"reflection_pad3d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_732},
      {"reflection_pad3d_backward.C3", "only the batch may be empty", rule_390},
      {"reflection_pad3d_backward.C4", "something is left", rule_733},
      {"reflection_pad3d_backward.C5", "padding is smaller than the dimension that is mirrored", rule_734},
      {"reflection_pad3d_backward.C6", "the gradient has the shape of the forward result", rule_728}}},
    {"aten.relu.default", {rule_18}, {}},
    {"aten.remainder.Scalar", {rule_18}, {}},
    {"aten.remainder.Scalar_Tensor", {rule_453}, {}},
    {"aten.remainder.Tensor", {rule_19}, {}},
    {"aten.renorm.default", {rule_18}, {
      {"renorm.C1", "the dimension exists beside others", rule_735},
      {"renorm.C2", "order and norm are positive", rule_736}}},
    {"aten.repeat.default", {rule_737}, {
      {"repeat.C1", "one count a dimension", rule_738}}},
    {"aten.repeat_interleave.Tensor", {rule_739}, {
      {"repeat_interleave.Tensor.C1", "the counts are a vector", rule_740}}},
    {"aten.replication_pad1d.default", {rule_724}, {
      {"replication_pad1d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_473},
      {"replication_pad1d.C2", "two paddings per spatial dimension, the last dimension first", rule_725},
      {"replication_pad1d.C3", "only the batch may be empty", rule_22},
      {"replication_pad1d.C4", "something is left", rule_726}}},
    {"aten.replication_pad1d_backward.default", {rule_18}, {
      {"replication_pad1d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_473},
      {"replication_pad1d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_725},
      {"replication_pad1d_backward.C3", "only the batch may be empty", rule_22},
      {"replication_pad1d_backward.C4", "something is left", rule_726},
      {"replication_pad1d_backward.C5", "the gradient has the shape of the forward result", rule_728}}},
    {"aten.replication_pad2d.default", {rule_724}, {
      {"replication_pad2d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"replication_pad2d.C2", "two paddings per spatial dimension, the last dimension first", rule_729},
      {"replication_pad2d.C3", "only the batch may be empty", rule_28},
      {"replication_pad2d.C4", "something is left", rule_730}}},
    {"aten.replication_pad2d_backward.default", {rule_18}, {
      {"replication_pad2d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_21},
      {"replication_pad2d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_729},
      {"replication_pad2d_backward.C3", "only the batch may be empty", rule_28},
      {"replication_pad2d_backward.C4", "something is left", rule_730},
      {"replication_pad2d_backward.C5", "the gradient has the shape of the forward result", rule_728}}},
    {"aten.replication_pad3d.default", {rule_724}, {
      {"replication_pad3d.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"replication_pad3d.C2", "two paddings per spatial dimension, the last dimension first", rule_732},
      {"replication_pad3d.C3", "only the batch may be empty", rule_390},
      {"replication_pad3d.C4", "something is left", rule_733}}},
    {"aten.replication_pad3d_backward.default", {rule_18}, {
      {"replication_pad3d_backward.C1", "the input is [C, *spatial] or [N, C, *spatial]", rule_27},
      {"replication_pad3d_backward.C2", "two paddings per spatial dimension, the last dimension first", rule_732},
      {"replication_pad3d_backward.C3", "only the batch may be empty", rule_390},
      {"replication_pad3d_backward.C4", "something is left", rule_733},
      {"replication_pad3d_backward.C5", "the gradient has the shape of the forward result", rule_728}}},
    {"aten.resize.default", {rule_115}, {}},
    {"aten.resize_as.default", {rule_741}, {}},
    {"aten.roll.default", {rule_18}, {
      {"roll.C1", "one shift a dimension", rule_742}}},
    {"aten.rot90.default", {rule_743}, {
      {"rot90.C1", "there is a plane to turn in", rule_744},
      {"rot90.C2", "two different dimensions", rule_519}}},
    {"aten.round.decimals", {rule_18}, {}},
    {"aten.round.default", {rule_18}, {}},
    {"aten.rrelu_with_noise_backward.default", {rule_503}, {
      {"rrelu_with_noise_backward.C1", "gradient, point and slopes have one shape", rule_745}}},
    {"aten.rrelu_with_noise_functional.default", {rule_18, rule_746}, {
      {"rrelu_with_noise_functional.C1", "the slopes have the shape of the operand", rule_747},
      {"rrelu_with_noise_functional.C2", "the range of slopes is not empty", rule_748}}},
    {"aten.rsqrt.default", {rule_18}, {}},
    {"aten.rsub.Scalar", {rule_18}, {}},
    {"aten.rsub.Tensor", {rule_19}, {}},
    {"aten.scalar_tensor.default", {rule_104}, {}},
    {"aten.scatter.reduce", {rule_18}, {
      {"scatter.reduce.C1", "the dimension exists", rule_262},
      {"scatter.reduce.C2", "index and operand have one rank; a scalar counts as a vector", rule_529},
      {"scatter.reduce.C3", "the index is not larger than the operand", rule_530},
      {"scatter.reduce.C4", "only an empty index may have another dtype", rule_531},
      {"scatter.reduce.C5", "there is a source element for every index", rule_749}}},
    {"aten.scatter.src", {rule_18}, {
      {"scatter.src.C1", "the dimension exists", rule_262},
      {"scatter.src.C2", "index and operand have one rank; a scalar counts as a vector", rule_529},
      {"scatter.src.C3", "the index is not larger than the operand", rule_530},
      {"scatter.src.C5", "only an empty index may have another dtype", rule_531},
      {"scatter.src.C7", "there is a source element for every index", rule_749}}},
    {"aten.scatter.value", {rule_18}, {
      {"scatter.value.C1", "the dimension exists", rule_262},
      {"scatter.value.C2", "index and operand have one rank; a scalar counts as a vector", rule_529},
      {"scatter.value.C3", "the index is not larger than the operand", rule_530},
      {"scatter.value.C4", "only an empty index may have another dtype", rule_531}}},
    {"aten.scatter.value_reduce", {rule_18}, {
      {"scatter.value_reduce.C1", "the dimension exists", rule_262},
      {"scatter.value_reduce.C2", "index and operand have one rank; a scalar counts as a vector", rule_529},
      {"scatter.value_reduce.C3", "the index is not larger than the operand", rule_530},
      {"scatter.value_reduce.C4", "only an empty index may have another dtype", rule_531}}},
    {"aten.scatter_add.default", {rule_18}, {
      {"scatter_add.C1", "the dimension exists", rule_262},
      {"scatter_add.C2", "index and operand have one rank; a scalar counts as a vector", rule_529},
      {"scatter_add.C3", "the index is not larger than the operand", rule_530},
      {"scatter_add.C4", "only an empty index may have another dtype", rule_531},
      {"scatter_add.C5", "there is a source element for every index", rule_749}}},
    {"aten.scatter_reduce.two", {rule_18}, {
      {"scatter_reduce.two.C1", "the dimension exists", rule_262},
      {"scatter_reduce.two.C2", "index and operand have one rank; a scalar counts as a vector", rule_529},
      {"scatter_reduce.two.C3", "the index is not larger than the operand", rule_530},
      {"scatter_reduce.two.C5", "only an empty index may have another dtype", rule_531},
      {"scatter_reduce.two.C7", "there is a source element for every index", rule_749},
      {"scatter_reduce.two.C9", "complex numbers have no order", rule_750},
      {"scatter_reduce.two.C10", "bools have no mean", rule_575}}},
    {"aten.searchsorted.Scalar", {rule_104}, {
      {"searchsorted.Scalar.C1", "there is one sequence", rule_751},
      {"searchsorted.Scalar.C2", "the two ways to name the side agree", rule_752},
      {"searchsorted.Scalar.C3", "there is one position for each element", rule_753}}},
    {"aten.searchsorted.Tensor", {rule_18}, {
      {"searchsorted.Tensor.C1", "one sequence for all, or one for each row of values", rule_754},
      {"searchsorted.Tensor.C2", "a sequence has a dimension", rule_755},
      {"searchsorted.Tensor.C3", "the two ways to name the side agree", rule_752},
      {"searchsorted.Tensor.C4", "there is one position for each element", rule_753}}},
    {"aten.segment_reduce.default", {rule_756}, {
      {"segment_reduce.C1", "it is a known reduction", rule_317},
      {"segment_reduce.C2", "segments are given by lengths or offsets", rule_318},
      {"segment_reduce.C3", "PyTorch has no reduction by indices", rule_757},
      {"segment_reduce.C4", "the axis exists", rule_319},
      {"segment_reduce.C5", "there is a row of segments for each index before the axis", rule_320}}},
    {"aten.select.int", {rule_758}, {
      {"select.int.C1", "a scalar has no slices", rule_287},
      {"select.int.C2", "the dimension exists", rule_262},
      {"select.int.C3", "the slice exists", rule_759}}},
    {"aten.select_backward.default", {rule_496}, {
      {"select_backward.C1", "the dimension exists", rule_760},
      {"select_backward.C2", "the index exists", rule_761},
      {"select_backward.C3", "the gradient has the shape of the selected slice", rule_762}}},
    {"aten.select_copy.int", {rule_758}, {
      {"select_copy.int.C1", "a scalar has no slices", rule_287},
      {"select_copy.int.C2", "the dimension exists", rule_262},
      {"select_copy.int.C3", "the slice exists", rule_759}}},
    {"aten.select_scatter.default", {rule_18}, {
      {"select_scatter.C1", "a scalar has no slices", rule_287},
      {"select_scatter.C2", "the dimension exists", rule_262},
      {"select_scatter.C3", "the source has the shape of the slice", rule_763},
      {"select_scatter.C4", "the slice exists", rule_759}}},
    {"aten.sgn.default", {rule_18}, {}},
    {"aten.sigmoid.default", {rule_18}, {}},
    {"aten.sigmoid_backward.default", {rule_503}, {
      {"sigmoid_backward.C1", "the gradient has the shape of the point it is taken at", rule_266}}},
    {"aten.sign.default", {rule_18}, {}},
    {"aten.signbit.default", {rule_18}, {}},
    {"aten.silu.default", {rule_18}, {}},
    {"aten.silu_backward.default", {rule_503}, {
      {"silu_backward.C1", "the gradient has the shape of the point it is taken at", rule_283}}},
    {"aten.sin.default", {rule_18}, {}},
    {"aten.sinc.default", {rule_18}, {}},
    {"aten.sinh.default", {rule_18}, {}},
    {"aten.slice.Tensor", {rule_764}, {
      {"slice.Tensor.C1", "a scalar has no slices", rule_287},
      {"slice.Tensor.C2", "the dimension exists", rule_262},
      {"slice.Tensor.C3", "the step is positive", rule_765}}},
    {"aten.slice_backward.default", {rule_496}, {
      {"slice_backward.C1", "the dimension exists", rule_760},
      {"slice_backward.C2", "the step is positive", rule_765},
      {"slice_backward.C3", "the gradient has the shape of the slice", rule_766}}},
    {"aten.slice_copy.Tensor", {rule_764}, {
      {"slice_copy.Tensor.C1", "a scalar has no slices", rule_287},
      {"slice_copy.Tensor.C2", "the dimension exists", rule_262},
      {"slice_copy.Tensor.C3", "the step is positive", rule_765}}},
    {"aten.slice_scatter.default", {rule_18}, {
      {"slice_scatter.C1", "a scalar has no slices", rule_287},
      {"slice_scatter.C2", "the dimension exists", rule_262},
      {"slice_scatter.C3", "the step is positive", rule_765},
      {"slice_scatter.C4", "the source has the shape of the slice", rule_767}}},
    {"aten.slow_conv3d_forward.default", {rule_329}, {
      {"slow_conv3d_forward.C1", "the input is [N, C, *spatial] or [C, *spatial]", rule_768},
      {"slow_conv3d_forward.C2", "the kernel's size is the weight's", rule_326},
      {"slow_conv3d_forward.C3", "the input's channels are those the weight reads", rule_769},
      {"slow_conv3d_forward.C4", "one bias per output channel", rule_332},
      {"slow_conv3d_forward.C5", "the kernel has elements and is no larger than the padded input", rule_770}}},
    {"aten.slow_conv_dilated2d.default", {rule_771}, {
      {"slow_conv_dilated2d.C1", "the input is [N, C, *spatial] or [C, *spatial]", rule_330},
      {"slow_conv_dilated2d.C2", "the kernel's size is the weight's", rule_326},
      {"slow_conv_dilated2d.C3", "the input's channels are those the weight reads", rule_331},
      {"slow_conv_dilated2d.C4", "one bias per output channel", rule_332},
      {"slow_conv_dilated2d.C5", "the kernel has elements and is no larger than the padded input", rule_772}}},
    {"aten.slow_conv_dilated3d.default", {rule_771}, {
      {"slow_conv_dilated3d.C1", "the input is [N, C, *spatial] or [C, *spatial]", rule_768},
      {"slow_conv_dilated3d.C2", "the kernel's size is the weight's", rule_326},
      {"slow_conv_dilated3d.C3", "the input's channels are those the weight reads", rule_769},
      {"slow_conv_dilated3d.C4", "one bias per output channel", rule_332},
      {"slow_conv_dilated3d.C5", "the kernel has elements and is no larger than the padded input", rule_773}}},
    {"aten.slow_conv_transpose2d.default", {rule_774}, {
      {"slow_conv_transpose2d.C1", "the input is [N, C, *spatial] or [C, *spatial]", rule_330},
      {"slow_conv_transpose2d.C2", "the kernel's size is the weight's", rule_326},
      {"slow_conv_transpose2d.C3", "the input's channels are those the weight reads", rule_775},
      {"slow_conv_transpose2d.C4", "one bias per output channel", rule_776},
      {"slow_conv_transpose2d.C5", "the kernel has elements and is no larger than the padded input", rule_777}}},
    {"aten.slow_conv_transpose3d.default", {rule_774}, {
      {"slow_conv_transpose3d.C1", "the input is [N, C, *spatial] or [C, *spatial]", rule_768},
      {"slow_conv_transpose3d.C2", "the kernel's size is the weight's", rule_326},
      {"slow_conv_transpose3d.C3", "the input's channels are those the weight reads", rule_778},
      {"slow_conv_transpose3d.C4", "one bias per output channel", rule_776},
      {"slow_conv_transpose3d.C5", "the kernel has elements and is no larger than the padded input", rule_779}}},
    {"aten.smooth_l1_loss.default", {rule_442}, {
      {"smooth_l1_loss.C1", "input and target have one shape", rule_443},
      {"smooth_l1_loss.C2", "reduction is none, mean or sum", rule_444},
      {"smooth_l1_loss.C3", "beta is positive", rule_780}}},
    {"aten.smooth_l1_loss_backward.default", {rule_18}, {
      {"smooth_l1_loss_backward.C1", "input and target have one shape", rule_443},
      {"smooth_l1_loss_backward.C2", "reduction is none, mean or sum", rule_444},
      {"smooth_l1_loss_backward.C3", "beta is positive", rule_780},
      {"smooth_l1_loss_backward.C4", "the gradient has the shape of the loss", rule_446}}},
    {"aten.soft_margin_loss.default", {rule_442}, {
      {"soft_margin_loss.C1", "input and target have one shape", rule_443},
      {"soft_margin_loss.C2", "reduction is none, mean or sum", rule_444}}},
    {"aten.soft_margin_loss_backward.default", {rule_18}, {
      {"soft_margin_loss_backward.C1", "input and target have one shape", rule_443},
      {"soft_margin_loss_backward.C2", "reduction is none, mean or sum", rule_444},
      {"soft_margin_loss_backward.C3", "the gradient has the shape of the loss", rule_446}}},
    {"aten.softplus.default", {rule_18}, {}},
    {"aten.softplus_backward.default", {rule_503}, {
      {"softplus_backward.C1", "the gradient has the shape of the point it is taken at", rule_283}}},
    {"aten.softshrink.default", {rule_18}, {}},
    {"aten.softshrink_backward.default", {rule_503}, {
      {"softshrink_backward.C1", "the gradient has the shape of the point it is taken at", rule_283}}},
    {"aten.sort.default", {rule_18, rule_18}, {
      {"sort.C1", "the dimension exists", rule_262}}},
    {"aten.sort.stable", {rule_18, rule_18}, {
      {"sort.stable.C1", "the dimension exists", rule_262}}},
    {"aten.special_airy_ai.default", {rule_100}, {}},
    {"aten.special_bessel_j0.default", {rule_18}, {}},
    {"aten.special_bessel_j1.default", {rule_18}, {}},
    {"aten.special_bessel_y0.default", {rule_18}, {}},
    {"aten.special_bessel_y1.default", {rule_18}, {}},
    {"aten.special_chebyshev_polynomial_t.default", {rule_781}, {}},
    {"aten.special_chebyshev_polynomial_t.n_scalar", {rule_100}, {}},
    {"aten.special_chebyshev_polynomial_t.x_scalar", {rule_782}, {}},
    {"aten.special_chebyshev_polynomial_u.default", {rule_781}, {}},
    {"aten.special_chebyshev_polynomial_u.n_scalar", {rule_100}, {}},
    {"aten.special_chebyshev_polynomial_u.x_scalar", {rule_782}, {}},
    {"aten.special_chebyshev_polynomial_v.default", {rule_781}, {}},
    {"aten.special_chebyshev_polynomial_v.n_scalar", {rule_100}, {}},
    {"aten.special_chebyshev_polynomial_v.x_scalar", {rule_782}, {}},
    {"aten.special_chebyshev_polynomial_w.default", {rule_781}, {}},
    {"aten.special_chebyshev_polynomial_w.n_scalar", {rule_100}, {}},
    {"aten.special_chebyshev_polynomial_w.x_scalar", {rule_782}, {}},
    {"aten.special_entr.default", {rule_18}, {}},
    {"aten.special_erfcx.default", {rule_18}, {}},
    {"aten.special_hermite_polynomial_h.default", {rule_781}, {}},
    {"aten.special_hermite_polynomial_h.n_scalar", {rule_100}, {}},
    {"aten.special_hermite_polynomial_h.x_scalar", {rule_782}, {}},
    {"aten.special_hermite_polynomial_he.default", {rule_781}, {}},
    {"aten.special_hermite_polynomial_he.n_scalar", {rule_100}, {}},
    {"aten.special_hermite_polynomial_he.x_scalar", {rule_782}, {}},
    {"aten.special_i0e.default", {rule_18}, {}},
    {"aten.special_i1.default", {rule_18}, {}},
    {"aten.special_i1e.default", {rule_18}, {}},
    {"aten.special_laguerre_polynomial_l.default", {rule_781}, {}},
    {"aten.special_laguerre_polynomial_l.n_scalar", {rule_100}, {}},
    {"aten.special_laguerre_polynomial_l.x_scalar", {rule_782}, {}},
    {"aten.special_legendre_polynomial_p.default", {rule_781}, {}},
    {"aten.special_legendre_polynomial_p.n_scalar", {rule_100}, {}},
    {"aten.special_legendre_polynomial_p.x_scalar", {rule_782}, {}},
    {"aten.special_log_ndtr.default", {rule_18}, {}},
    {"aten.special_modified_bessel_i0.default", {rule_18}, {}},
    {"aten.special_modified_bessel_i1.default", {rule_18}, {}},
    {"aten.special_modified_bessel_k0.default", {rule_18}, {}},
    {"aten.special_modified_bessel_k1.default", {rule_18}, {}},
    {"aten.special_ndtri.default", {rule_18}, {}},
    {"aten.special_scaled_modified_bessel_k0.default", {rule_100}, {}},
    {"aten.special_scaled_modified_bessel_k1.default", {rule_100}, {}},
    {"aten.special_shifted_chebyshev_polynomial_t.default", {rule_781}, {}},
    {"aten.special_shifted_chebyshev_polynomial_t.n_scalar", {rule_100}, {}},
    {"aten.special_shifted_chebyshev_polynomial_t.x_scalar", {rule_782}, {}},
    {"aten.special_shifted_chebyshev_polynomial_u.default", {rule_781}, {}},
    {"aten.special_shifted_chebyshev_polynomial_u.n_scalar", {rule_100}, {}},
    {"aten.special_shifted_chebyshev_polynomial_u.x_scalar", {rule_782}, {}},
    {"aten.special_shifted_chebyshev_polynomial_v.default", {rule_781}, {}},
    {"aten.special_shifted_chebyshev_polynomial_v.n_scalar", {rule_100}, {}},
    {"aten.special_shifted_chebyshev_polynomial_v.x_scalar", {rule_782}, {}},
    {"aten.special_shifted_chebyshev_polynomial_w.default", {rule_781}, {}},
    {"aten.special_shifted_chebyshev_polynomial_w.n_scalar", {rule_100}, {}},
    {"aten.special_shifted_chebyshev_polynomial_w.x_scalar", {rule_782}, {}},
    {"aten.special_spherical_bessel_j0.default", {rule_100}, {}},
    {"aten.special_xlog1py.default", {rule_19}, {}},
    {"aten.special_xlog1py.other_scalar", {rule_18}, {}},
    {"aten.special_xlog1py.self_scalar", {rule_453}, {}},
    {"aten.special_zeta.default", {rule_19}, {}},
    {"aten.special_zeta.other_scalar", {rule_18}, {}},
    {"aten.special_zeta.self_scalar", {rule_453}, {}},
    {"aten.split.Tensor", {rule_783}, {
      {"split.Tensor.C1", "a scalar has no slices", rule_287},
      {"split.Tensor.C2", "the dimension exists", rule_262},
      {"split.Tensor.C3", "pieces are not empty", rule_784}}},
    {"aten.split_copy.Tensor", {rule_783}, {
      {"split_copy.Tensor.C1", "a scalar has no slices", rule_287},
      {"split_copy.Tensor.C2", "the dimension exists", rule_262},
      {"split_copy.Tensor.C3", "pieces are not empty", rule_784}}},
    {"aten.split_with_sizes.default", {rule_785}, {
      {"split_with_sizes.C1", "a scalar has no slices", rule_287},
      {"split_with_sizes.C2", "the dimension exists", rule_262},
      {"split_with_sizes.C3", "a piece has no negative length", rule_786}}},
    {"aten.split_with_sizes_copy.default", {rule_785}, {
      {"split_with_sizes_copy.C1", "a scalar has no slices", rule_287},
      {"split_with_sizes_copy.C2", "the dimension exists", rule_262},
      {"split_with_sizes_copy.C3", "a piece has no negative length", rule_786}}},
    {"aten.sqrt.default", {rule_18}, {}},
    {"aten.squeeze.default", {rule_787}, {}},
    {"aten.squeeze.dim", {rule_788}, {
      {"squeeze.dim.C1", "the dimension exists", rule_262}}},
    {"aten.squeeze.dims", {rule_788}, {
      {"squeeze.dims.C1", "the dimensions exist and are listed once", rule_42}}},
    {"aten.squeeze_copy.default", {rule_787}, {}},
    {"aten.squeeze_copy.dim", {rule_788}, {
      {"squeeze_copy.dim.C1", "the dimension exists", rule_262}}},
    {"aten.squeeze_copy.dims", {rule_788}, {
      {"squeeze_copy.dims.C1", "the dimensions exist and are listed once", rule_42}}},
    {"aten.stack.default", {rule_334}, {
      {"stack.C1", "there is something to stack", rule_74}}},
    {"aten.std.correction", {rule_41}, {
      {"std.correction.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.std_mean.correction", {rule_41, rule_41}, {
      {"std_mean.correction.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.sub.Scalar", {rule_18}, {}},
    {"aten.sub.Tensor", {rule_19}, {}},
    {"aten.sum.default", {rule_39}, {}},
    {"aten.sum.dim_IntList", {rule_41}, {
      {"sum.dim_IntList.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.sym_constrain_range.default", {}, {
      {"sym_constrain_range.C1", "the number lies in the range", rule_197}}},
    {"aten.sym_constrain_range_for_size.default", {}, {
      {"sym_constrain_range_for_size.C1", "the number lies in the range", rule_197},
      {"sym_constrain_range_for_size.C2", "sizes are not negative", rule_198}}},
    {"aten.t.default", {rule_789}, {
      {"t.C1", "at most two dimensions", rule_790}}},
    {"aten.t_copy.default", {rule_789}, {
      {"t_copy.C1", "at most two dimensions", rule_790}}},
    {"aten.take.default", {rule_528}, {
      {"take.C1", "there is something to take", rule_715}}},
    {"aten.tan.default", {rule_18}, {}},
    {"aten.tanh.default", {rule_18}, {}},
    {"aten.tanh_backward.default", {rule_503}, {
      {"tanh_backward.C1", "the gradient has the shape of the point it is taken at", rule_266}}},
    {"aten.threshold.default", {rule_18}, {}},
    {"aten.threshold_backward.default", {rule_503}, {
      {"threshold_backward.C1", "the gradient has the shape of the point it is taken at", rule_283}}},
    {"aten.topk.default", {rule_791, rule_791}, {
      {"topk.C1", "the dimension exists", rule_262},
      {"topk.C2", "there are k elements", rule_792},
      {"topk.C3", "a scalar has one element", rule_793}}},
    {"aten.trace.default", {rule_104}, {
      {"trace.C1", "the operand is a matrix", rule_278}}},
    {"aten.transpose.int", {rule_794}, {
      {"transpose.int.C1", "the dimensions exist", rule_795}}},
    {"aten.transpose_copy.int", {rule_794}, {
      {"transpose_copy.int.C1", "the dimensions exist", rule_795}}},
    {"aten.triangular_solve.default", {rule_796, rule_797}, {
      {"triangular_solve.C1", "the matrices are square", rule_70},
      {"triangular_solve.C2", "the right-hand sides have a row for each equation", rule_71}}},
    {"aten.tril.default", {rule_18}, {
      {"tril.C1", "the operand is a matrix or a batch of matrices", rule_239}}},
    {"aten.tril_indices.default", {rule_798}, {
      {"tril_indices.C1", "the sizes are not negative", rule_799},
      {"tril_indices.C2", "a dtype of indices", rule_800}}},
    {"aten.triu.default", {rule_18}, {
      {"triu.C1", "the operand is a matrix or a batch of matrices", rule_239}}},
    {"aten.triu_indices.default", {rule_801}, {
      {"triu_indices.C1", "the sizes are not negative", rule_799},
      {"triu_indices.C2", "a dtype of indices", rule_800}}},
    {"aten.true_divide.Tensor", {rule_19}, {}},
    {"aten.trunc.default", {rule_18}, {}},
    {"aten.unbind.int", {rule_802}, {
      {"unbind.int.C1", "a scalar has no slices", rule_287},
      {"unbind.int.C2", "the dimension exists", rule_262}}},
    {"aten.unbind_copy.int", {rule_802}, {
      {"unbind_copy.int.C1", "a scalar has no slices", rule_287},
      {"unbind_copy.int.C2", "the dimension exists", rule_262}}},
    {"aten.unfold.default", {rule_803}, {
      {"unfold.C1", "the dimension exists", rule_804},
      {"unfold.C2", "the window fits", rule_805},
      {"unfold.C3", "the step is positive", rule_765}}},
    {"aten.unfold_backward.default", {rule_496}, {
      {"unfold_backward.C1", "the dimension exists", rule_806},
      {"unfold_backward.C2", "windows advance", rule_765},
      {"unfold_backward.C3", "the gradient broadcasts to the shape of the forward result", rule_807}}},
    {"aten.unfold_copy.default", {rule_803}, {
      {"unfold_copy.C1", "the dimension exists", rule_804},
      {"unfold_copy.C2", "the window fits", rule_805},
      {"unfold_copy.C3", "windows advance", rule_765}}},
    {"aten.uniform.default", {rule_18}, {}},
    {"aten.unique_consecutive.default", {rule_808, rule_809, rule_810}, {
      {"unique_consecutive.C1", "the dimension exists", rule_811},
      {"unique_consecutive.C2", "the slices have elements", rule_812}}},
    {"aten.unique_dim.default", {rule_813, rule_814, rule_815}, {
      {"unique_dim.C1", "the dimension exists", rule_816},
      {"unique_dim.C2", "the slices have elements", rule_817}}},
    {"aten.unique_dim_consecutive.default", {rule_813, rule_814, rule_815}, {
      {"unique_dim_consecutive.C1", "the dimension exists", rule_816},
      {"unique_dim_consecutive.C2", "the slices have elements", rule_817}}},
    {"aten.unsafe_split.Tensor", {rule_783}, {
      {"unsafe_split.Tensor.C1", "a scalar has no slices", rule_287},
      {"unsafe_split.Tensor.C2", "the dimension exists", rule_262},
      {"unsafe_split.Tensor.C3", "pieces are not empty", rule_784}}},
    {"aten.unsafe_split_with_sizes.default", {rule_785}, {
      {"unsafe_split_with_sizes.C1", "a scalar has no slices", rule_287},
      {"unsafe_split_with_sizes.C2", "the dimension exists", rule_262},
      {"unsafe_split_with_sizes.C3", "a piece has no negative length", rule_786}}},
    {"aten.unsqueeze.default", {rule_818}, {
      {"unsqueeze.C1", "the dimension exists in the result", rule_819}}},
    {"aten.unsqueeze_copy.default", {rule_818}, {
      {"unsqueeze_copy.C1", "the dimension exists in the result", rule_819}}},
    {"aten.upsample_bicubic2d.default", {rule_356}, {
      {"upsample_bicubic2d.C1", "the input is [N, C, *spatial]", rule_357},
      {"upsample_bicubic2d.C2", "only the batch may be empty", rule_358},
      {"upsample_bicubic2d.C3", "one output size per spatial dimension", rule_23}}},
    {"aten.upsample_bicubic2d_backward.default", {rule_359}, {
      {"upsample_bicubic2d_backward.C1", "the gradient is [N, C, *spatial]", rule_360},
      {"upsample_bicubic2d_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"upsample_bicubic2d_backward.C3", "only the batch may be empty", rule_362},
      {"upsample_bicubic2d_backward.C4", "one output size per spatial dimension", rule_23}}},
    {"aten.upsample_bilinear2d.default", {rule_356}, {
      {"upsample_bilinear2d.C1", "the input is [N, C, *spatial]", rule_357},
      {"upsample_bilinear2d.C2", "only the batch may be empty", rule_358},
      {"upsample_bilinear2d.C3", "one output size per spatial dimension", rule_23}}},
    {"aten.upsample_bilinear2d_backward.default", {rule_359}, {
      {"upsample_bilinear2d_backward.C1", "the gradient is [N, C, *spatial]", rule_360},
      {"upsample_bilinear2d_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"upsample_bilinear2d_backward.C3", "only the batch may be empty", rule_362},
      {"upsample_bilinear2d_backward.C4", "one output size per spatial dimension", rule_23}}},
    {"aten.upsample_linear1d.default", {rule_356}, {
      {"upsample_linear1d.C1", "the input is [N, C, *spatial]", rule_363},
      {"upsample_linear1d.C2", "only the batch may be empty", rule_358},
      {"upsample_linear1d.C3", "one output size per spatial dimension", rule_364}}},
    {"aten.upsample_linear1d_backward.default", {rule_359}, {
      {"upsample_linear1d_backward.C1", "the gradient is [N, C, *spatial]", rule_365},
      {"upsample_linear1d_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"upsample_linear1d_backward.C3", "only the batch may be empty", rule_362},
      {"upsample_linear1d_backward.C4", "one output size per spatial dimension", rule_364}}},
    {"aten.upsample_nearest1d.default", {rule_356}, {
      {"upsample_nearest1d.C1", "the input is [N, C, *spatial]", rule_363},
      {"upsample_nearest1d.C2", "only the batch may be empty", rule_358},
      {"upsample_nearest1d.C3", "one output size per spatial dimension", rule_364}}},
    {"aten.upsample_nearest1d_backward.default", {rule_359}, {
      {"upsample_nearest1d_backward.C1", "the gradient is [N, C, *spatial]", rule_365},
      {"upsample_nearest1d_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"upsample_nearest1d_backward.C3", "only the batch may be empty", rule_362},
      {"upsample_nearest1d_backward.C4", "one output size per spatial dimension", rule_364}}},
    {"aten.upsample_nearest2d.default", {rule_356}, {
      {"upsample_nearest2d.C1", "the input is [N, C, *spatial]", rule_357},
      {"upsample_nearest2d.C2", "only the batch may be empty", rule_358},
      {"upsample_nearest2d.C3", "one output size per spatial dimension", rule_23}}},
    {"aten.upsample_nearest2d_backward.default", {rule_359}, {
      {"upsample_nearest2d_backward.C1", "the gradient is [N, C, *spatial]", rule_360},
      {"upsample_nearest2d_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"upsample_nearest2d_backward.C3", "only the batch may be empty", rule_362},
      {"upsample_nearest2d_backward.C4", "one output size per spatial dimension", rule_23}}},
    {"aten.upsample_nearest3d.default", {rule_356}, {
      {"upsample_nearest3d.C1", "the input is [N, C, *spatial]", rule_366},
      {"upsample_nearest3d.C2", "only the batch may be empty", rule_358},
      {"upsample_nearest3d.C3", "one output size per spatial dimension", rule_29}}},
    {"aten.upsample_nearest3d_backward.default", {rule_359}, {
      {"upsample_nearest3d_backward.C1", "the gradient is [N, C, *spatial]", rule_367},
      {"upsample_nearest3d_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"upsample_nearest3d_backward.C3", "only the batch may be empty", rule_362},
      {"upsample_nearest3d_backward.C4", "one output size per spatial dimension", rule_29}}},
    {"aten.upsample_trilinear3d.default", {rule_356}, {
      {"upsample_trilinear3d.C1", "the input is [N, C, *spatial]", rule_366},
      {"upsample_trilinear3d.C2", "only the batch may be empty", rule_358},
      {"upsample_trilinear3d.C3", "one output size per spatial dimension", rule_29}}},
    {"aten.upsample_trilinear3d_backward.default", {rule_359}, {
      {"upsample_trilinear3d_backward.C1", "the gradient is [N, C, *spatial]", rule_367},
      {"upsample_trilinear3d_backward.C2", "the gradient has the shape of the forward result", rule_361},
      {"upsample_trilinear3d_backward.C3", "only the batch may be empty", rule_362},
      {"upsample_trilinear3d_backward.C4", "one output size per spatial dimension", rule_29}}},
    {"aten.var.correction", {rule_41}, {
      {"var.correction.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.var_mean.correction", {rule_41, rule_41}, {
      {"var_mean.correction.C1", "dimensions exist and are listed once", rule_42}}},
    {"aten.vdot.default", {rule_104}, {
      {"vdot.C1", "both operands are vectors", rule_820},
      {"vdot.C2", "both have one length", rule_821}}},
    {"aten.view.default", {rule_286}, {}},
    {"aten.view.dtype", {rule_822}, {
      {"view.dtype.C1", "the last dimension divides into elements of the new width", rule_823}}},
    {"aten.view_as_complex.default", {rule_254}, {
      {"view_as_complex.C1", "the last dimension holds real and imaginary parts", rule_824}}},
    {"aten.view_as_complex_copy.default", {rule_254}, {
      {"view_as_complex_copy.C1", "the last dimension holds real and imaginary parts", rule_824}}},
    {"aten.view_as_real.default", {rule_825}, {}},
    {"aten.view_as_real_copy.default", {rule_825}, {}},
    {"aten.view_copy.default", {rule_286}, {}},
    {"aten.view_copy.dtype", {rule_822}, {
      {"view_copy.dtype.C1", "the last dimension divides into elements of the new width", rule_823}}},
    {"aten.where.self", {rule_826}, {}},
    {"aten.xlogy.Scalar_Other", {rule_18}, {}},
    {"aten.xlogy.Scalar_Self", {rule_453}, {}},
    {"aten.xlogy.Tensor", {rule_19}, {}},
    {"aten.zero.default", {rule_18}, {}},
    {"aten.zeros.default", {rule_115}, {}},
    {"aten.zeros_like.default", {rule_18}, {}},
    {"prims.convert_element_type.default", {rule_827}, {}},
    {"quantized_decomposed._choose_qparams_per_token_asymmetric_impl.default", {rule_828, rule_828}, {
      {"quantized_decomposed._choose_qparams_per_token_asymmetric_impl.C1", "something is there to be measured", rule_829}}},
    {"quantized_decomposed.choose_qparams.tensor", {rule_145, rule_145}, {
      {"quantized_decomposed.choose_qparams.tensor.C1", "something is there to be measured", rule_54},
      {"quantized_decomposed.choose_qparams.tensor.C2", "the range is not empty", rule_142}}},
    {"quantized_decomposed.choose_qparams_per_token.default", {rule_828, rule_828}, {
      {"quantized_decomposed.choose_qparams_per_token.C1", "something is there to be measured", rule_829}}},
    {"quantized_decomposed.choose_qparams_per_token_asymmetric.default", {rule_828, rule_828}, {
      {"quantized_decomposed.choose_qparams_per_token_asymmetric.C1", "something is there to be measured", rule_829}}},
    {"quantized_decomposed.choose_qparams_symmetric.tensor", {rule_145, rule_145}, {
      {"quantized_decomposed.choose_qparams_symmetric.tensor.C1", "something is there to be measured", rule_54},
      {"quantized_decomposed.choose_qparams_symmetric.tensor.C2", "the range is not empty", rule_142}}},
    {"quantized_decomposed.convert_element_type.no_fuse", {rule_5}, {}},
    {"quantized_decomposed.dequantize_per_channel.default", {rule_5}, {
      {"quantized_decomposed.dequantize_per_channel.C1", "dtype names the dtype of the quantized values", rule_830},
      {"quantized_decomposed.dequantize_per_channel.C2", "the channel axis exists, counted from the front", rule_831},
      {"quantized_decomposed.dequantize_per_channel.C3", "one scale for each channel", rule_832},
      {"quantized_decomposed.dequantize_per_channel.C4", "one zero point for each channel", rule_833}}},
    {"quantized_decomposed.dequantize_per_channel_group.default", {rule_5}, {
      {"quantized_decomposed.dequantize_per_channel_group.C1", "dtype names the dtype of the quantized values", rule_830},
      {"quantized_decomposed.dequantize_per_channel_group.C2", "parameters go by rows", rule_834},
      {"quantized_decomposed.dequantize_per_channel_group.C3", "groups are of more than one element and divide a row", rule_835},
      {"quantized_decomposed.dequantize_per_channel_group.C4", "one scale for each group", rule_836},
      {"quantized_decomposed.dequantize_per_channel_group.C5", "one zero point for each group", rule_833}}},
    {"quantized_decomposed.dequantize_per_tensor.default", {rule_5}, {
      {"quantized_decomposed.dequantize_per_tensor.C1", "dtype names the dtype of the quantized values", rule_830}}},
    {"quantized_decomposed.dequantize_per_tensor.tensor", {rule_5}, {
      {"quantized_decomposed.dequantize_per_tensor.tensor.C1", "dtype names the dtype of the quantized values", rule_830},
      {"quantized_decomposed.dequantize_per_tensor.tensor.C2", "one scale and zero point", rule_837}}},
    {"quantized_decomposed.dequantize_per_tensor.tensor2", {rule_5}, {
      {"quantized_decomposed.dequantize_per_tensor.tensor2.C1", "dtype names the dtype of the quantized values", rule_830},
      {"quantized_decomposed.dequantize_per_tensor.tensor2.C2", "one scale and zero point", rule_837}}},
    {"quantized_decomposed.dequantize_per_token.default", {rule_5}, {
      {"quantized_decomposed.dequantize_per_token.C1", "dtype names the dtype of the quantized values", rule_830},
      {"quantized_decomposed.dequantize_per_token.C2", "the input has rows", rule_1},
      {"quantized_decomposed.dequantize_per_token.C3", "one scale and zero point for each row", rule_838}}},
    {"quantized_decomposed.fake_quant_per_channel.default", {rule_5}, {
      {"quantized_decomposed.fake_quant_per_channel.C1", "the range is not empty", rule_142},
      {"quantized_decomposed.fake_quant_per_channel.C2", "the channel axis exists, counted from the front", rule_831},
      {"quantized_decomposed.fake_quant_per_channel.C3", "one scale for each channel", rule_832},
      {"quantized_decomposed.fake_quant_per_channel.C4", "one zero point for each channel", rule_833}}},
    {"quantized_decomposed.quantize_per_channel.default", {rule_5}, {
      {"quantized_decomposed.quantize_per_channel.C1", "the range is not empty", rule_142},
      {"quantized_decomposed.quantize_per_channel.C2", "the channel axis exists, counted from the front", rule_831},
      {"quantized_decomposed.quantize_per_channel.C3", "one scale for each channel", rule_832},
      {"quantized_decomposed.quantize_per_channel.C4", "one zero point for each channel", rule_833}}},
    {"quantized_decomposed.quantize_per_channel_group.default", {rule_5}, {
      {"quantized_decomposed.quantize_per_channel_group.C1", "the range is not empty", rule_142},
      {"quantized_decomposed.quantize_per_channel_group.C2", "parameters go by rows", rule_834},
      {"quantized_decomposed.quantize_per_channel_group.C3", "groups are of more than one element and divide a row", rule_835},
      {"quantized_decomposed.quantize_per_channel_group.C4", "one scale for each group", rule_836},
      {"quantized_decomposed.quantize_per_channel_group.C5", "one zero point for each group", rule_833}}},
    {"quantized_decomposed.quantize_per_tensor.default", {rule_5}, {
      {"quantized_decomposed.quantize_per_tensor.C1", "the range is not empty", rule_142}}},
    {"quantized_decomposed.quantize_per_tensor.tensor", {rule_5}, {
      {"quantized_decomposed.quantize_per_tensor.tensor.C1", "the range is not empty", rule_142},
      {"quantized_decomposed.quantize_per_tensor.tensor.C2", "one scale and zero point", rule_837}}},
    {"quantized_decomposed.quantize_per_tensor.tensor2", {rule_5}, {
      {"quantized_decomposed.quantize_per_tensor.tensor2.C1", "one scale and zero point", rule_837}}},
    {"quantized_decomposed.quantize_per_token.default", {rule_5}, {
      {"quantized_decomposed.quantize_per_token.C1", "the range is not empty", rule_142},
      {"quantized_decomposed.quantize_per_token.C2", "the input has rows", rule_1},
      {"quantized_decomposed.quantize_per_token.C3", "one scale and zero point for each row", rule_838}}},
    {"torch_nn._linear_cross_entropy_batch_chunked.default", {rule_104, rule_839, rule_840, rule_841}, {
      {"torch_nn._linear_cross_entropy_batch_chunked.C1", "the input is [N, K]", rule_842},
      {"torch_nn._linear_cross_entropy_batch_chunked.C2", "the layer's weight is [C, K]", rule_843},
      {"torch_nn._linear_cross_entropy_batch_chunked.C3", "the layer takes as many features as the input has", rule_844},
      {"torch_nn._linear_cross_entropy_batch_chunked.C4", "there is a class", rule_845},
      {"torch_nn._linear_cross_entropy_batch_chunked.C5", "one target per row", rule_846},
      {"torch_nn._linear_cross_entropy_batch_chunked.C6", "one bias per class", rule_847},
      {"torch_nn._linear_cross_entropy_batch_chunked.C7", "one weight per class", rule_848},
      {"torch_nn._linear_cross_entropy_batch_chunked.C8", "a chunk has a row", rule_849},
      {"torch_nn._linear_cross_entropy_batch_chunked.C9", "the policy is resolved", rule_850},
      {"torch_nn._linear_cross_entropy_batch_chunked.C10", "sums are accumulated in the input's dtype, or in float32 for 16-bit inputs", rule_851},
      {"torch_nn._linear_cross_entropy_batch_chunked.C11", "the loss is one number", rule_852},
      {"torch_nn._linear_cross_entropy_batch_chunked.C12", "labels are not smoothed", rule_853}}},
    {"torch_nn._linear_cross_entropy_batch_chunked_no_reduction.default", {rule_854}, {
      {"torch_nn._linear_cross_entropy_batch_chunked_no_reduction.C1", "the input is [N, K]", rule_842},
      {"torch_nn._linear_cross_entropy_batch_chunked_no_reduction.C2", "the layer's weight is [C, K]", rule_843},
      {"torch_nn._linear_cross_entropy_batch_chunked_no_reduction.C3", "the layer takes as many features as the input has", rule_844},
      {"torch_nn._linear_cross_entropy_batch_chunked_no_reduction.C4", "there is a class", rule_845},
      {"torch_nn._linear_cross_entropy_batch_chunked_no_reduction.C5", "one target per row", rule_846},
      {"torch_nn._linear_cross_entropy_batch_chunked_no_reduction.C6", "one bias per class", rule_847},
      {"torch_nn._linear_cross_entropy_batch_chunked_no_reduction.C7", "one weight per class", rule_848},
      {"torch_nn._linear_cross_entropy_batch_chunked_no_reduction.C8", "a chunk has a row", rule_849},
      {"torch_nn._linear_cross_entropy_batch_chunked_no_reduction.C9", "the policy is resolved", rule_850},
      {"torch_nn._linear_cross_entropy_batch_chunked_no_reduction.C10", "sums are accumulated in the input's dtype, or in float32 for 16-bit inputs", rule_851}}},
    {"torchport.all_reduce_max.default", {rule_5}, {}},
    {"torchport.all_reduce_product.default", {rule_5}, {}},
    {"torchport.batch_norm_inference.default", {rule_5}, {
      {"torchport.batch_norm_inference.C1", "the input is [N, C, …] and has elements", rule_436},
      {"torchport.batch_norm_inference.C2", "one mean and one variance per channel", rule_855},
      {"torchport.batch_norm_inference.C3", "weight has shape input[1:2]", rule_55},
      {"torchport.batch_norm_inference.C4", "bias has shape input[1:2]", rule_56},
      {"torchport.batch_norm_inference.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"torchport.batch_norm_inference.C6", "a bias comes with a weight", rule_856}}},
    {"torchport.batch_norm_training.default", {rule_5, rule_61, rule_62}, {
      {"torchport.batch_norm_training.C1", "the input is [N, C, …] and has elements", rule_436},
      {"torchport.batch_norm_training.C2", "more than one value per channel", rule_857},
      {"torchport.batch_norm_training.C3", "one running mean and variance per channel", rule_59},
      {"torchport.batch_norm_training.C4", "weight has shape input[1:2]", rule_55},
      {"torchport.batch_norm_training.C5", "bias has shape input[1:2]", rule_56},
      {"torchport.batch_norm_training.C6", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"torchport.batch_norm_training.C7", "a bias comes with a weight", rule_856}}},
    {"torchport.cross_entropy.default", {rule_858}, {
      {"torchport.cross_entropy.C1", "the input has classes and rows", rule_859},
      {"torchport.cross_entropy.C2", "one target per row", rule_860},
      {"torchport.cross_entropy.C3", "one weight per class", rule_861},
      {"torchport.cross_entropy.C4", "reduction is none, mean or sum", rule_444},
      {"torchport.cross_entropy.C5", "smoothing is a fraction", rule_862}}},
    {"torchport.cross_entropy_backward.default", {rule_5}, {
      {"torchport.cross_entropy_backward.C1", "the input has classes and rows", rule_859},
      {"torchport.cross_entropy_backward.C2", "one target per row", rule_860},
      {"torchport.cross_entropy_backward.C3", "one weight per class", rule_861},
      {"torchport.cross_entropy_backward.C4", "reduction is none, mean or sum", rule_444},
      {"torchport.cross_entropy_backward.C5", "smoothing is a fraction", rule_862},
      {"torchport.cross_entropy_backward.C6", "the gradient has the shape of the loss", rule_863}}},
    {"torchport.embedding_bag.default", {rule_864}, {
      {"torchport.embedding_bag.C1", "the weight is a matrix", rule_865},
      {"torchport.embedding_bag.C2", "the indices are a matrix, or a vector with offsets", rule_866},
      {"torchport.embedding_bag.C3", "a factor for each index", rule_124},
      {"torchport.embedding_bag.C4", "factors are for sums", rule_867}}},
    {"torchport.expert_dispatch.default", {rule_868, rule_868, rule_869, rule_870}, {
      {"torchport.expert_dispatch.C1", "a row of logits for each token", rule_871},
      {"torchport.expert_dispatch.C2", "there are k experts", rule_872}}},
    {"torchport.geglu.default", {rule_873}, {
      {"torchport.geglu.C1", "gate and up have one shape", rule_874}}},
    {"torchport.gelu_tanh.default", {rule_5}, {}},
    {"torchport.group_norm.default", {rule_5}, {
      {"torchport.group_norm.C1", "the input is [N, C, …] and has elements", rule_436},
      {"torchport.group_norm.C2", "the channels divide into the groups", rule_875},
      {"torchport.group_norm.C3", "a group has more than one element", rule_876},
      {"torchport.group_norm.C4", "weight has shape input[1:2]", rule_55},
      {"torchport.group_norm.C5", "bias has shape input[1:2]", rule_56},
      {"torchport.group_norm.C6", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"torchport.group_norm.C7", "a bias comes with a weight", rule_856}}},
    {"torchport.gru.default", {rule_877, rule_878}, {
      {"torchport.gru.C1", "the input is [T, B, I] or [B, T, I]", rule_879},
      {"torchport.gru.C2", "a state for each sequence", rule_880},
      {"torchport.gru.C3", "the weights have 3 gates", rule_881},
      {"torchport.gru.C4", "both or no biases", rule_882},
      {"torchport.gru.C5", "a bias for each gate", rule_883}}},
    {"torchport.householder_qr.default", {rule_18, rule_533}, {
      {"torchport.householder_qr.C1", "there are two dimensions at least", rule_239}}},
    {"torchport.instance_norm.default", {rule_5}, {
      {"torchport.instance_norm.C1", "the input is [N, C, …] and has elements", rule_436},
      {"torchport.instance_norm.C2", "there is more than one element to normalize", rule_884},
      {"torchport.instance_norm.C3", "weight has shape input[1:2]", rule_55},
      {"torchport.instance_norm.C4", "bias has shape input[1:2]", rule_56},
      {"torchport.instance_norm.C5", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"torchport.instance_norm.C6", "a bias comes with a weight", rule_856}}},
    {"torchport.interpolate.default", {rule_885}, {
      {"torchport.interpolate.C1", "the input is [N, C, W] or [N, C, H, W] and has a new size for each spatial dimension", rule_886},
      {"torchport.interpolate.C2", "no size is 0", rule_887},
      {"torchport.interpolate.C3", "corners are aligned by linear interpolation only", rule_888},
      {"torchport.interpolate.C4", "one factor for each spatial dimension", rule_889}}},
    {"torchport.keyed_uniform.default", {rule_115}, {
      {"torchport.keyed_uniform.C1", "one seed and offset", rule_890}}},
    {"torchport.kv_cache_write.default", {rule_891}, {
      {"torchport.kv_cache_write.C1", "the dimension exists", rule_892},
      {"torchport.kv_cache_write.C2", "the update has one row for each position", rule_893}}},
    {"torchport.l2_normalize.default", {rule_5}, {
      {"torchport.l2_normalize.C1", "the dimension exists", rule_894}}},
    {"torchport.layer_norm.default", {rule_5}, {
      {"torchport.layer_norm.C1", "the input ends in normalized_shape", rule_221},
      {"torchport.layer_norm.C2", "weight has shape normalized_shape", rule_222},
      {"torchport.layer_norm.C3", "bias has shape normalized_shape", rule_679},
      {"torchport.layer_norm.C4", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57},
      {"torchport.layer_norm.C5", "a bias comes with a weight", rule_856}}},
    {"torchport.ldl_factor_hermitian.default", {rule_18, rule_254, rule_587}, {
      {"torchport.ldl_factor_hermitian.C1", "the matrices are square", rule_255}}},
    {"torchport.ldl_solve_hermitian.default", {rule_895}, {
      {"torchport.ldl_solve_hermitian.C1", "the matrices are square", rule_593},
      {"torchport.ldl_solve_hermitian.C2", "one batch, and a row for each equation", rule_896},
      {"torchport.ldl_solve_hermitian.C3", "there is a pivot for each row", rule_595}}},
    {"torchport.linear.default", {rule_897}, {
      {"torchport.linear.C1", "the weight is a matrix", rule_898},
      {"torchport.linear.C2", "the input ends in the weight's columns", rule_899},
      {"torchport.linear.C3", "one bias for each row of the weight", rule_900}}},
    {"torchport.lstm.default", {rule_877, rule_878, rule_901}, {
      {"torchport.lstm.C1", "the input is [T, B, I] or [B, T, I]", rule_879},
      {"torchport.lstm.C2", "a state for each sequence", rule_880},
      {"torchport.lstm.C3", "the weights have 4 gates", rule_902},
      {"torchport.lstm.C4", "both or no biases", rule_903},
      {"torchport.lstm.C5", "a bias for each gate", rule_904},
      {"torchport.lstm.C6", "cell and hidden state have one shape", rule_905}}},
    {"torchport.matmul.default", {rule_906}, {
      {"torchport.matmul.C1", "no operand is 0-dimensional", rule_907},
      {"torchport.matmul.C2", "the inner sizes are equal", rule_908}}},
    {"torchport.quantized_linear.default", {rule_897}, {
      {"torchport.quantized_linear.C1", "weight and scales are matrices", rule_909},
      {"torchport.quantized_linear.C2", "the input ends in the weight's columns", rule_899},
      {"torchport.quantized_linear.C3", "a scale for each row and group of columns", rule_910},
      {"torchport.quantized_linear.C4", "a zero point for each scale", rule_833},
      {"torchport.quantized_linear.C5", "one bias for each row of the weight", rule_900}}},
    {"torchport.relu_squared.default", {rule_5}, {}},
    {"torchport.rms_norm.default", {rule_5}, {
      {"torchport.rms_norm.C1", "the input ends in normalized_shape", rule_221},
      {"torchport.rms_norm.C2", "weight has shape normalized_shape", rule_222},
      {"torchport.rms_norm.C3", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57}}},
    {"torchport.rms_norm_backward.default", {rule_5, rule_911}, {
      {"torchport.rms_norm_backward.C1", "the input ends in normalized_shape", rule_221},
      {"torchport.rms_norm_backward.C2", "the gradient has the shape of the input", rule_912},
      {"torchport.rms_norm_backward.C3", "weight has shape normalized_shape", rule_222},
      {"torchport.rms_norm_backward.C4", "parameters have the input's dtype, or float32 beside a 16-bit input", rule_57}}},
    {"torchport.rope.default", {rule_100}, {
      {"torchport.rope.C1", "the last dimension is made of pairs", rule_913},
      {"torchport.rope.C2", "cos and sin have one shape, which broadcasts", rule_914}}},
    {"torchport.rope_backward.default", {rule_503}, {
      {"torchport.rope_backward.C1", "the last dimension is made of pairs", rule_915},
      {"torchport.rope_backward.C2", "cos and sin have one shape, which broadcasts", rule_916}}},
    {"torchport.scaled_dot_product_attention.default", {rule_917}, {
      {"torchport.scaled_dot_product_attention.C1", "query, key and value are [B, H, L, D] or [B, L, D]", rule_918},
      {"torchport.scaled_dot_product_attention.C2", "batch and keys agree", rule_919},
      {"torchport.scaled_dot_product_attention.C3", "query and key have one width", rule_920},
      {"torchport.scaled_dot_product_attention.C4", "the query heads are a multiple of the key heads", rule_921},
      {"torchport.scaled_dot_product_attention.C5", "no size is 0", rule_922},
      {"torchport.scaled_dot_product_attention.C6", "the mask broadcasts to the scores", rule_923},
      {"torchport.scaled_dot_product_attention.C7", "a causal call has no other mask", rule_924},
      {"torchport.scaled_dot_product_attention.C8", "the mask is no wider than the scores", rule_925},
      {"torchport.scaled_dot_product_attention.C9", "one dropout factor for each score", rule_926}}},
    {"torchport.scaled_dot_product_attention_backward.default", {rule_102, rule_154, rule_155}, {
      {"torchport.scaled_dot_product_attention_backward.C1", "query, key and value are [B, H, L, D] or [B, L, D]", rule_918},
      {"torchport.scaled_dot_product_attention_backward.C2", "batch and keys agree", rule_919},
      {"torchport.scaled_dot_product_attention_backward.C3", "query and key have one width", rule_920},
      {"torchport.scaled_dot_product_attention_backward.C4", "the query heads are a multiple of the key heads", rule_921},
      {"torchport.scaled_dot_product_attention_backward.C5", "no size is 0", rule_922},
      {"torchport.scaled_dot_product_attention_backward.C6", "the mask broadcasts to the scores", rule_923},
      {"torchport.scaled_dot_product_attention_backward.C7", "a causal call has no other mask", rule_924},
      {"torchport.scaled_dot_product_attention_backward.C8", "the mask is no wider than the scores", rule_925},
      {"torchport.scaled_dot_product_attention_backward.C9", "one dropout factor for each score", rule_926},
      {"torchport.scaled_dot_product_attention_backward.C10", "the gradient has the shape of the result", rule_927}}},
    {"torchport.scatter_amax.default", {rule_18}, {
      {"torchport.scatter_amax.C1", "the dimension exists", rule_262},
      {"torchport.scatter_amax.C2", "index and operand have one rank; a scalar counts as a vector", rule_529},
      {"torchport.scatter_amax.C3", "the index is not larger than the operand", rule_530},
      {"torchport.scatter_amax.C5", "only an empty index may have another dtype", rule_531},
      {"torchport.scatter_amax.C7", "there is a source element for every index", rule_749},
      {"torchport.scatter_amax.C9", "complex numbers have no order", rule_928}}},
    {"torchport.scatter_amin.default", {rule_18}, {
      {"torchport.scatter_amin.C1", "the dimension exists", rule_262},
      {"torchport.scatter_amin.C2", "index and operand have one rank; a scalar counts as a vector", rule_529},
      {"torchport.scatter_amin.C3", "the index is not larger than the operand", rule_530},
      {"torchport.scatter_amin.C5", "only an empty index may have another dtype", rule_531},
      {"torchport.scatter_amin.C7", "there is a source element for every index", rule_749},
      {"torchport.scatter_amin.C9", "complex numbers have no order", rule_928}}},
    {"torchport.scatter_prod.default", {rule_18}, {
      {"torchport.scatter_prod.C1", "the dimension exists", rule_262},
      {"torchport.scatter_prod.C2", "index and operand have one rank; a scalar counts as a vector", rule_529},
      {"torchport.scatter_prod.C3", "the index is not larger than the operand", rule_530},
      {"torchport.scatter_prod.C5", "only an empty index may have another dtype", rule_531},
      {"torchport.scatter_prod.C7", "there is a source element for every index", rule_749}}},
    {"torchport.silu_and_mul.default", {rule_929}, {
      {"torchport.silu_and_mul.C1", "the last dimension has two halves", rule_930}}},
    {"torchport.softcap.default", {rule_5}, {
      {"torchport.softcap.C1", "the cap is positive", rule_931}}},
    {"torchport.swiglu.default", {rule_873}, {
      {"torchport.swiglu.C1", "gate and up have one shape", rule_874}}},
    {"torchport.swiglu_backward.default", {rule_873, rule_932}, {
      {"torchport.swiglu_backward.C1", "all operands have one shape", rule_933}}},
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
