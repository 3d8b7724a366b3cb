/* The values that shape rules compute on, with the arithmetic of the shape-rule language.
 *
 * Part of torchport's C++ shape rules: torchport/shape_rules.h is generated from the contract and includes
 * this file. C++17, no dependencies. A tensor is its list of sizes; integers are 64 bit; division and
 * remainder round down, as in Python. What does not fit raises torchport::shape::Error.
 */
#ifndef TORCHPORT_SHAPE_VALUE_H
#define TORCHPORT_SHAPE_VALUE_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace torchport::shape {

/* The arguments do not fit the rule; eager PyTorch refuses them too. */
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Kind { none, boolean, integer, real, text, list, data_dependent };

/* None, a truth value, a number, a text, a list, or a size known only at run time (with an upper bound). */
class Value {
 public:
  Value() = default;
  Value(bool value) : kind_(Kind::boolean), integer_(value) {}
  Value(int value) : kind_(Kind::integer), integer_(value) {}
  Value(long value) : kind_(Kind::integer), integer_(value) {}
  Value(long long value) : kind_(Kind::integer), integer_(value) {}
  Value(double value) : kind_(Kind::real), real_(value) {}
  Value(const char* value) : kind_(Kind::text), text_(value) {}
  Value(std::string value) : kind_(Kind::text), text_(std::move(value)) {}
  Value(std::vector<Value> items) : kind_(Kind::list), items_(std::move(items)) {}

  static Value list(std::initializer_list<Value> items = {}) { return Value(std::vector<Value>(items)); }

  static Value sizes(const std::int64_t* data, std::size_t count) {
    std::vector<Value> items;
    for (std::size_t i = 0; i < count; ++i) items.emplace_back(static_cast<long long>(data[i]));
    return Value(std::move(items));
  }

  static Value data_dependent() { return data_dependent(Value()); }
  static Value data_dependent(const Value& upper) {
    Value made;
    made.kind_ = Kind::data_dependent;
    made.items_.push_back(upper);
    return made;
  }

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::none; }
  bool is_integer() const { return kind_ == Kind::integer || kind_ == Kind::boolean; }
  bool is_number() const { return is_integer() || kind_ == Kind::real; }
  bool is_list() const { return kind_ == Kind::list; }

  std::int64_t integer() const {
    if (!is_integer()) throw Error("an integer is needed");
    return integer_;
  }
  double real() const {
    if (kind_ == Kind::real) return real_;
    return static_cast<double>(integer());
  }
  const std::string& text() const {
    if (kind_ != Kind::text) throw Error("a text is needed");
    return text_;
  }
  const std::vector<Value>& items() const {
    if (kind_ != Kind::list) throw Error("a list is needed");
    return items_;
  }
  std::vector<Value>& items() {
    if (kind_ != Kind::list) throw Error("a list is needed");
    return items_;
  }
  /* The bound of a size known only at run time; none without one. */
  const Value& upper() const {
    if (kind_ != Kind::data_dependent) throw Error("a data-dependent size is needed");
    return items_[0];
  }

  explicit operator bool() const {
    switch (kind_) {
      case Kind::none:
        return false;
      case Kind::boolean:
      case Kind::integer:
        return integer_ != 0;
      case Kind::real:
        return real_ != 0.0;
      case Kind::text:
        return !text_.empty();
      case Kind::list:
        return !items_.empty();
      default:
        return true;
    }
  }

 private:
  Kind kind_ = Kind::none;
  std::int64_t integer_ = 0;
  double real_ = 0.0;
  std::string text_;
  std::vector<Value> items_;
};

inline bool truth(const Value& a) {
  return static_cast<bool>(a);
}

inline bool same(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.kind() == Kind::real || b.kind() == Kind::real) return a.real() == b.real();
    return a.integer() == b.integer();
  }
  if (a.kind() != b.kind()) return false;
  if (a.kind() == Kind::text) return a.text() == b.text();
  if (a.is_list()) {
    return a.items().size() == b.items().size() &&
           std::equal(a.items().begin(), a.items().end(), b.items().begin(), same);
  }
  return a.is_none();
}

inline Value operator==(const Value& a, const Value& b) {
  return same(a, b);
}
inline Value operator!=(const Value& a, const Value& b) {
  return !same(a, b);
}

inline bool before(const Value& a, const Value& b) {
  if (a.kind() == Kind::real || b.kind() == Kind::real) return a.real() < b.real();
  return a.integer() < b.integer();
}

inline Value operator<(const Value& a, const Value& b) {
  return before(a, b);
}
inline Value operator>(const Value& a, const Value& b) {
  return before(b, a);
}
inline Value operator<=(const Value& a, const Value& b) {
  return same(a, b) || before(a, b);
}
inline Value operator>=(const Value& a, const Value& b) {
  return same(a, b) || before(b, a);
}

namespace detail {
inline std::int64_t checked(bool overflow, std::int64_t result) {
  if (overflow) throw Error("a size overflows 64 bits");
  return result;
}
inline bool real(const Value& a, const Value& b) {
  return a.kind() == Kind::real || b.kind() == Kind::real;
}
/* Lists of a call are as long as it has dimensions or results; a longer one comes from a wrong number. */
inline constexpr std::size_t longest = std::size_t{1} << 20;
inline void limited(std::size_t count) {
  if (count > longest) throw Error("a list has more than a million entries");
}
}  // namespace detail

inline Value operator+(const Value& a, const Value& b) {
  if (a.is_list() && b.is_list()) {
    std::vector<Value> joined = a.items();
    joined.insert(joined.end(), b.items().begin(), b.items().end());
    return joined;
  }
  if (detail::real(a, b)) return a.real() + b.real();
  std::int64_t result = 0;
  bool overflow = __builtin_add_overflow(a.integer(), b.integer(), &result);
  return static_cast<long long>(detail::checked(overflow, result));
}

inline Value operator-(const Value& a, const Value& b) {
  if (detail::real(a, b)) return a.real() - b.real();
  std::int64_t result = 0;
  bool overflow = __builtin_sub_overflow(a.integer(), b.integer(), &result);
  return static_cast<long long>(detail::checked(overflow, result));
}

inline Value operator-(const Value& a) {
  return a.kind() == Kind::real ? Value(-a.real()) : Value(0) - a;
}

inline Value operator*(const Value& a, const Value& b) {
  if (a.is_list()) {
    std::vector<Value> repeated;
    for (std::int64_t i = 0; i < b.integer() && !a.items().empty(); ++i) {
      detail::limited(repeated.size() + a.items().size());
      repeated.insert(repeated.end(), a.items().begin(), a.items().end());
    }
    return repeated;
  }
  if (detail::real(a, b)) return a.real() * b.real();
  std::int64_t result = 0;
  bool overflow = __builtin_mul_overflow(a.integer(), b.integer(), &result);
  return static_cast<long long>(detail::checked(overflow, result));
}

/* a // b, rounded down. */
inline Value floordiv(const Value& a, const Value& b) {
  if (detail::real(a, b)) {
    if (b.real() == 0.0) throw Error("division by zero");
    return std::floor(a.real() / b.real());
  }
  std::int64_t p = a.integer(), q = b.integer();
  if (q == 0) throw Error("division by zero");
  if (q == -1) return -a;
  std::int64_t quotient = p / q;
  if (p % q != 0 && (p < 0) != (q < 0)) --quotient;
  return static_cast<long long>(quotient);
}

inline Value operator%(const Value& a, const Value& b) {
  return a - floordiv(a, b) * b;
}

inline Value length(const Value& a) {
  return static_cast<long long>(a.items().size());
}

/* a[index]; a negative index counts from the end. */
inline const Value& at(const Value& a, const Value& index) {
  std::int64_t n = static_cast<std::int64_t>(a.items().size()), i = index.integer();
  if (i < 0) i += n;
  if (i < 0 || i >= n) throw Error("index out of range");
  return a.items()[static_cast<std::size_t>(i)];
}
inline Value& at(Value& a, const Value& index) {
  return const_cast<Value&>(at(static_cast<const Value&>(a), index));
}

/* a[first:last]; none is the end that is left out. */
inline Value slice(const Value& a, const Value& first, const Value& last) {
  std::int64_t n = static_cast<std::int64_t>(a.items().size());
  auto bound = [n](const Value& v, std::int64_t otherwise) {
    if (v.is_none()) return otherwise;
    std::int64_t i = v.integer() < 0 ? v.integer() + n : v.integer();
    return std::min(std::max<std::int64_t>(i, 0), n);
  };
  std::int64_t from = bound(first, 0), to = std::max(from, bound(last, n));
  return std::vector<Value>(a.items().begin() + from, a.items().begin() + to);
}

inline Value reversed(const Value& a) {
  return std::vector<Value>(a.items().rbegin(), a.items().rend());
}

inline Value range(const Value& from, const Value& to, const Value& step = 1) {
  const std::int64_t last = to.integer(), by = step.integer();
  if (by == 0) throw Error("a range with a step of zero");
  std::vector<Value> items;
  std::int64_t i = from.integer();
  while (by > 0 ? i < last : i > last) {
    detail::limited(items.size() + 1);
    items.emplace_back(static_cast<long long>(i));
    if (__builtin_add_overflow(i, by, &i)) break;
  }
  return items;
}

/* Pairs (and triples) of elements at the same place; cut at the shorter list. */
inline Value zip(const std::vector<Value>& lists) {
  std::vector<Value> rows;
  std::size_t n = lists.empty() ? 0 : lists[0].items().size();
  for (const Value& l : lists) n = std::min(n, l.items().size());
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Value> row;
    for (const Value& l : lists) row.push_back(l.items()[i]);
    rows.emplace_back(std::move(row));
  }
  return rows;
}

inline Value zip_strict(const std::vector<Value>& lists) {
  for (const Value& l : lists) {
    if (l.items().size() != lists[0].items().size()) throw Error("lists of different lengths");
  }
  return zip(lists);
}

inline Value contains(const Value& list, const Value& item) {
  if (list.kind() == Kind::text) return list.text().find(item.text()) != std::string::npos;
  return std::any_of(list.items().begin(), list.items().end(), [&](const Value& v) { return same(v, item); });
}

inline Value unique(const Value& list) {
  std::vector<Value> kept;
  for (const Value& v : list.items()) {
    if (!static_cast<bool>(contains(Value(kept), v))) kept.push_back(v);
  }
  return kept;
}

inline Value sorted(const Value& list) {
  std::vector<Value> items = list.items();
  std::stable_sort(items.begin(), items.end(), before);
  return items;
}

inline Value total(const Value& list) {
  Value sum = 0;
  for (const Value& v : list.items()) sum = sum + v;
  return sum;
}

inline Value any(const Value& list) {
  return std::any_of(list.items().begin(), list.items().end(), [](const Value& v) { return bool(v); });
}
inline Value all(const Value& list) {
  return std::all_of(list.items().begin(), list.items().end(), [](const Value& v) { return bool(v); });
}

inline Value enumerated(const Value& list) {
  return zip({range(Value(0), length(list)), list});
}

inline bool is_true(const Value& a) {
  return a.kind() == Kind::boolean && static_cast<bool>(a);
}
inline bool is_false(const Value& a) {
  return a.kind() == Kind::boolean && !static_cast<bool>(a);
}

/* As in Python, a place beyond the list is its nearer end. */
inline void insert_at(Value& list, const Value& index, const Value& item) {
  std::int64_t n = static_cast<std::int64_t>(list.items().size()), i = index.integer();
  if (i < 0) i += n;
  list.items().insert(list.items().begin() + std::min(std::max<std::int64_t>(i, 0), n), item);
}

inline Value take_at(Value& list, const Value& index) {
  Value taken = at(list, index);
  std::int64_t i = index.integer();
  list.items().erase(i < 0 ? list.items().end() + i : list.items().begin() + i);
  return taken;
}

inline Value smallest(const Value& a, const Value& b) {
  return before(b, a) ? b : a;
}
inline Value largest(const Value& a, const Value& b) {
  return before(a, b) ? b : a;
}
/* The smallest of several numbers, or of one list of them. */
inline Value fold_min(const Value& values) {
  const Value& all = values.items().size() == 1 && values.items()[0].is_list() ? values.items()[0] : values;
  Value best = at(all, 0);
  for (const Value& v : all.items()) best = smallest(best, v);
  return best;
}
inline Value fold_max(const Value& values) {
  const Value& all = values.items().size() == 1 && values.items()[0].is_list() ? values.items()[0] : values;
  Value best = at(all, 0);
  for (const Value& v : all.items()) best = largest(best, v);
  return best;
}
inline Value absolute(const Value& a) {
  return before(a, 0) ? -a : a;
}

/* Whether two sizes are equal; none where one is known only at run time. */
inline Value equal(const Value& a, const Value& b) {
  if (a.kind() == Kind::data_dependent || b.kind() == Kind::data_dependent) return Value();
  return same(a, b);
}

inline Value product(const Value& dims) {
  Value result = 1;
  for (const Value& d : dims.items()) result = result * d;
  return result;
}

/* dim counted from the front, for a tensor of rank n (a rank of 0 counts as 1). */
inline Value wrap(const Value& dim, const Value& n) {
  std::int64_t rank = std::max<std::int64_t>(n.integer(), 1), d = dim.integer();
  if (d < -rank || d >= rank) throw Error("dimension out of range");
  return static_cast<long long>(d < 0 ? d + rank : d);
}

inline Value to_integer(const Value& a) {
  if (a.kind() != Kind::real) return a;
  if (!(std::fabs(a.real()) < 9223372036854775808.0)) throw Error("a number is no 64-bit integer");
  return static_cast<long long>(a.real());
}

inline Value starts_with(const Value& text, const Value& prefixes) {
  auto begins = [&](const std::string& p) { return text.text().compare(0, p.size(), p) == 0; };
  if (!prefixes.is_list()) return begins(prefixes.text());
  for (const Value& p : prefixes.items()) {
    if (begins(p.text())) return true;
  }
  return false;
}

/* Bytes of one element of a dtype. */
inline Value itemsize(const Value& dtype) {
  const std::string& name = dtype.text();
  if (name == "bool") return 1;
  std::size_t first = name.find_first_of("0123456789");
  if (first == std::string::npos) throw Error("not a dtype: " + name);
  int bits = std::atoi(name.c_str() + first);
  return bits / 8;
}

inline Value split_text(const Value& text, const Value& separator) {
  std::vector<Value> parts;
  std::size_t from = 0;
  for (std::size_t to; (to = text.text().find(separator.text(), from)) != std::string::npos;
       from = to + separator.text().size()) {
    parts.emplace_back(text.text().substr(from, to - from));
  }
  parts.emplace_back(text.text().substr(from));
  return parts;
}

/* Arguments of one call by schema name: sizes of tensors, numbers, texts, lists of these; and the names of
 * the tensors' dtypes ("float32"; "none" where an optional tensor is missing). */
struct Arguments {
  std::map<std::string, Value> values;
  std::map<std::string, std::string> dtypes;

  const Value& operator[](const std::string& name) const {
    auto found = values.find(name);
    if (found == values.end()) throw Error("argument " + name + " is missing");
    return found->second;
  }
  Value dtype(const std::string& name) const {
    auto found = dtypes.find(name);
    if (found == dtypes.end()) throw Error("the dtype of " + name + " is missing");
    return found->second;
  }
};

struct Condition {
  const char* label;
  const char* prose;
  Value (*holds)(const Arguments&);
};

/* What the contract says about one operator: a shape rule for each output, and labelled preconditions. */
struct Operator {
  const char* name;
  std::vector<Value (*)(const Arguments&)> shapes;
  std::vector<Condition> constraints;
};

}  // namespace torchport::shape

#endif
