/* Evaluates shape rules for calls read from standard input, one a line; the answers go to standard output.
 *
 * A line is an operator's name, the number of values, each with its name, the number of dtypes, each with its
 * name, all separated by spaces. A value is N, T, F, I<integer>, R<real>, S<text with %XX for odd bytes>,
 * D (known only at run time) or L<count> and then the items. An answer is the outputs in this form, and the
 * label of the first violated constraint or "-"; a line that begins with "!" is an error.
 */
#include <iostream>
#include <sstream>

#include "torchport/shape_rules.h"

using namespace torchport::shape;

static std::string decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

static Value read(std::istream& in) {
  std::string word;
  in >> word;
  std::string rest = word.substr(1);
  switch (word[0]) {
    case 'N':
      return Value();
    case 'T':
      return Value(true);
    case 'F':
      return Value(false);
    case 'I':
      return Value(std::stoll(rest));
    case 'R':
      return Value(std::stod(rest));
    case 'S':
      return Value(decoded(rest));
    case 'D':
      return Value::data_dependent();
    case 'L': {
      std::vector<Value> items;
      for (int i = std::stoi(rest); i > 0; --i) items.push_back(read(in));
      return Value(std::move(items));
    }
    default:
      throw Error("not a value: " + word);
  }
}

static void write(std::ostream& out, const Value& value) {
  switch (value.kind()) {
    case Kind::none:
      out << "N";
      break;
    case Kind::boolean:
      out << (truth(value) ? "T" : "F");
      break;
    case Kind::integer:
      out << "I" << value.integer();
      break;
    case Kind::real:
      out << "R" << value.real();
      break;
    case Kind::text:
      out << "S" << value.text();
      break;
    case Kind::data_dependent:
      out << "D";
      break;
    case Kind::list:
      out << "L" << value.items().size();
      for (const Value& item : value.items()) {
        out << ' ';
        write(out, item);
      }
  }
}

static std::string answer(const std::string& line) {
  std::istringstream in(line);
  std::ostringstream out;
  std::string name, key, dtype;
  int count = 0;
  Arguments call;
  in >> name >> count;
  for (; count > 0; --count) {
    in >> key;
    call.values[key] = read(in);
  }
  in >> count;
  for (; count > 0; --count) {
    in >> key >> dtype;
    call.dtypes[key] = dtype;
  }
  write(out, Value(infer(name, call)));
  const Condition* broken = violated(name, call);
  out << ' ' << (broken == nullptr ? "-" : broken->label);
  return out.str();
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << answer(line) << '\n';
    } catch (const std::exception& error) {
      std::cout << "! " << error.what() << '\n';
    }
  }
}
