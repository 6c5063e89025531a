import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSchema } from "../../src/foxglove/schema";

test("constants, comments, defaults and bounds are accepted", () => {
  const type = parseSchema(
    "a/msg/B",
    `# a comment
uint8 UNKNOWN=0
string NAME = "x = y" # with a comment
string<=8 short
float64[4] four
float64[<=3] some
Inner[] inner
builtin_interfaces/Time stamp
================================================================================
MSG: a/Inner
bool yes true
`,
  );
  assert.deepEqual(
    type.fields.map((field) => [field.name, field.array]),
    [
      ["short", undefined],
      ["four", 4],
      ["some", "sequence"],
      ["inner", "sequence"],
      ["stamp", undefined],
    ],
  );
  const inner = type.fields[3]!.type;
  assert.ok(typeof inner === "object" && inner.fields[0]!.name === "yes");
});

test("an invalid line is named in the error", () => {
  assert.throws(
    () => parseSchema("a/B", "float64 position\nnonsense"),
    /a\/B: invalid field 'nonsense'/,
  );
  assert.throws(() => parseSchema("a/B", "Unheard x"), /unknown type 'Unheard'/);
});
