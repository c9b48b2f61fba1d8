import { error, int, noOverload, type Value } from "./value.ts";

type Operator = "+" | "-" | "*" | "/" | "%";

/** Both sides must have the same type; overflow and division by zero are errors. */
export function arithmetic(operator: Operator, a: Value, b: Value): Value {
  if (a.type === "int" && b.type === "int") {
    const value = wholeNumbers(operator, a.value, b.value);
    if (typeof value !== "bigint") return value;
    return BigInt.asIntN(64, value) === value ? int(value) : error("integer overflow");
  }
  if (a.type === "uint" && b.type === "uint") {
    const value = wholeNumbers(operator, a.value, b.value);
    if (typeof value !== "bigint") return value;
    return BigInt.asUintN(64, value) === value ? { type: "uint", value } : error("unsigned integer overflow");
  }
  if (a.type === "double" && b.type === "double") return doubles(operator, a.value, b.value);
  if (operator !== "+") return noOverload;
  if (a.type === "string" && b.type === "string") return { type: "string", value: a.value + b.value };
  if (a.type === "list" && b.type === "list") return { type: "list", items: [...a.items, ...b.items] };
  return noOverload;
}

function wholeNumbers(operator: Operator, a: bigint, b: bigint): bigint | Value {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return b === 0n ? error("division by zero") : a / b;
    case "%":
      return b === 0n ? error("modulus by zero") : a % b;
  }
}

function doubles(operator: Operator, a: number, b: number): Value {
  switch (operator) {
    case "+":
      return { type: "double", value: a + b };
    case "-":
      return { type: "double", value: a - b };
    case "*":
      return { type: "double", value: a * b };
    case "/":
      return { type: "double", value: a / b };
    case "%":
      return noOverload;
  }
}
