// Shared by the comparisons: conversion of our JSON for the packages, and equality of values.
const isTime = (type) => type === "time" || type === "duration";

// Our JSON as the packages expect it: null is NaN, 64-bit integers are BigInt, and in ROS 1 a time has
// nsec and a header seq.
function toPeer(value, field, types, isRos1) {
  if (Array.isArray(value)) {
    return value.map((item) => toPeer(item, { ...field, isArray: false }, types, isRos1));
  }
  if (isTime(field.type)) {
    return isRos1 ? { sec: value.sec, nsec: value.nanosec } : value;
  }
  if (field.isComplex) {
    return structToPeer(value, types.get(field.type), types, isRos1);
  }
  if (field.type === "int64" || field.type === "uint64") {
    return BigInt(value);
  }
  const number = value === null ? NaN : value;
  return field.type === "float32" ? Math.fround(number) : number;
}

export function structToPeer(object, type, types, isRos1) {
  const result = {};
  for (const field of type.definitions) {
    if (field.isConstant !== true) {
      const isSeq = isRos1 && field.name === "seq" && !("seq" in object);
      result[field.name] = isSeq ? 0 : toPeer(object[field.name], field, types, isRos1);
    }
  }
  return result;
}

// Text that is equal for equal values: -0 is not 0, NaN is NaN, a typed array is an array, and
// nanoseconds have one name.
export function canonical(value) {
  if (typeof value === "number") {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (typeof value === "bigint" || typeof value === "boolean") {
    return String(value);
  }
  if (typeof value === "string") {
    return JSON.stringify(value);
  }
  if (ArrayBuffer.isView(value) || Array.isArray(value)) {
    return `[${Array.from(value, canonical).join()}]`;
  }
  const entries = Object.entries(value).map(([key, item]) => [key === "nanosec" ? "nsec" : key, item]);
  return `{${entries.map(([key, item]) => `${key}:${canonical(item)}`).sort().join()}}`;
}
