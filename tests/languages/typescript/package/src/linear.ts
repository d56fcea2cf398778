import { SingularError } from "./errors.js";

const SMALLEST_PIVOT = 1e-11;

/** The inverse of a symmetric positive definite matrix, by its Cholesky factor. */
export function inverse(matrix: readonly number[][]): number[][] {
  const lower = cholesky(matrix);
  const columns = matrix.map((_, j) =>
    solved(
      lower,
      matrix.map((__, i) => (i === j ? 1 : 0)),
    ),
  );
  return columns.map((_, i) => columns.map((column) => column[i]!));
}

function cholesky(matrix: readonly number[][]): number[][] {
  const lower = matrix.map((row) => row.map(() => 0));
  for (let j = 0; j < matrix.length; j += 1) {
    for (let i = j; i < matrix.length; i += 1) {
      let rest = matrix[i]![j]!;
      for (let k = 0; k < j; k += 1) rest -= lower[i]![k]! * lower[j]![k]!;
      if (i > j) {
        lower[i]![j] = rest / lower[j]![j]!;
      } else if (rest > SMALLEST_PIVOT * matrix[j]![j]!) {
        lower[j]![j] = Math.sqrt(rest);
      } else {
        throw new SingularError(`column ${j + 1} of X is a combination of those before it`);
      }
    }
  }
  return lower;
}

function solved(lower: readonly number[][], right: readonly number[]): number[] {
  const found = [...right];
  const last = lower.length - 1;
  for (let i = 0; i <= last; i += 1) {
    for (let k = 0; k < i; k += 1) found[i]! -= lower[i]![k]! * found[k]!;
    found[i]! /= lower[i]![i]!;
  }
  for (let i = last; i >= 0; i -= 1) {
    for (let k = i + 1; k <= last; k += 1) found[i]! -= lower[k]![i]! * found[k]!;
    found[i]! /= lower[i]![i]!;
  }
  return found;
}

export function dot(left: readonly number[], right: readonly number[]): number {
  let sum = 0;
  for (let k = 0; k < left.length; k += 1) sum += left[k]! * right[k]!;
  return sum;
}
