import assert from "node:assert/strict";
import { test } from "node:test";

import { ConvergenceError, SingularError, fitPoisson, movingMean } from "countreg";

const y = [2, 3, 6, 7, 8, 9, 10, 12, 15];
const X = y.map((_, k) => [1, (k + 1) / 9]);

test("a constant alone is the log of the mean", () => {
  const { coef, iterations } = fitPoisson([1, 2, 3, 6], [[1], [1], [1], [1]]);
  assert.ok(Math.abs(coef[0] - Math.log(3)) < 1e-12);
  assert.ok(iterations < 10);
});

test("influence values sum to zero", () => {
  const { influence } = fitPoisson(y, X);
  const sums = [0, 1].map((j) => y.reduce((sum, _, i) => sum + influence[2 * i + j], 0));
  assert.ok(sums.every((sum) => Math.abs(sum) < 1e-10));
});

test("what cannot be fitted is refused", () => {
  assert.throws(() => fitPoisson([1, -1, 2], [[1], [1], [1]]), RangeError);
  assert.throws(
    () =>
      fitPoisson(
        y,
        X.map(([one]) => [one, 2 * one]),
      ),
    SingularError,
  );
  assert.throws(() => fitPoisson(y, X, { maxIter: 1 }), ConvergenceError);
});

test("windows", () => {
  assert.deepEqual(movingMean([1, 2, 3, 4], 2), [1.5, 2.5, 3.5]);
  assert.throws(() => movingMean([1, 2], 3), RangeError);
});
