import { ConvergenceError } from "./errors.js";
import { dot, inverse } from "./linear.js";

/** How the iteration ends. */
export interface FitOptions {
  /** Largest relative step of a coefficient at the end. */
  tol?: number;
  /** Most iterations. */
  maxIter?: number;
}

/** A fitted Poisson regression with log link. */
export class PoissonFit {
  readonly #means: readonly number[];

  constructor(
    readonly coef: readonly number[],
    readonly cov: readonly number[][],
    readonly se: readonly number[],
    /** Row by row: the influence of observation i on coefficient j stands at `i * p + j`. */
    readonly influence: Float64Array,
    readonly iterations: number,
    y: readonly number[],
    means: readonly number[],
  ) {
    this.#means = means;
    this.deviance = deviance(y, means);
  }

  readonly deviance: number;

  /** Fitted means. */
  get fitted(): number[] {
    return [...this.#means];
  }

  /** Means at other rows. */
  predict(X: readonly (readonly number[])[]): number[] {
    return X.map((row) => Math.exp(dot(row, this.coef)));
  }
}

/**
 * Fits a Poisson regression by iteratively reweighted least squares.
 *
 * @param y counts
 * @param X one row for each count; a constant is a column of its own
 * @throws RangeError for what is no count, and for too few rows
 * @throws SingularError where a column of X is a combination of others
 * @throws ConvergenceError where `maxIter` iterations do not suffice
 */
export function fitPoisson(
  y: readonly number[],
  X: readonly (readonly number[])[],
  { tol = 1e-10, maxIter = 50 }: FitOptions = {},
): PoissonFit {
  const p = checked(y, X);
  let means = y.map((count) => count + 0.5);
  let coef: number[] = new Array<number>(p).fill(0);
  let iterations = 0;
  for (;;) {
    if (iterations === maxIter) {
      throw new ConvergenceError(`no convergence within maxIter = ${maxIter}`);
    }
    iterations += 1;
    const cov = inverse(information(X, means, p));
    const working = means.map((mean, i) => mean * Math.log(mean) + y[i]! - mean);
    const right = coef.map((_, j) => working.reduce((sum, value, i) => sum + value * X[i]![j]!, 0));
    const next = cov.map((row) => dot(row, right));
    const step = Math.max(...next.map((value, j) => Math.abs(value - coef[j]!) / (1 + Math.abs(value))));
    coef = next;
    means = X.map((row) => Math.exp(dot(row, coef)));
    if (step <= tol) break;
  }
  const cov = inverse(information(X, means, p));
  const n = y.length;
  const influence = new Float64Array(n * p);
  const squares = new Array<number>(p).fill(0);
  for (let i = 0; i < n; i += 1) {
    const score = X[i]!.map((x) => x * (y[i]! - means[i]!));
    for (let j = 0; j < p; j += 1) {
      const value = dot(cov[j]!, score);
      influence[i * p + j] = value;
      squares[j]! += value * value;
    }
  }
  const se = squares.map((square) => Math.sqrt((square * n) / (n - p)));
  return new PoissonFit(coef, cov, se, influence, iterations, y, means);
}

function checked(y: readonly number[], X: readonly (readonly number[])[]): number {
  const wrong = y.findIndex((count) => !(Number.isInteger(count) && count >= 0));
  if (wrong >= 0) throw new RangeError(`y holds ${y[wrong]}, which is not a count`);
  if (X.length !== y.length) throw new RangeError(`X has ${X.length} rows for ${y.length} counts: another length`);
  const p = X[0]?.length ?? 0;
  if (y.length <= p) throw new RangeError(`there are ${y.length} counts, too few for ${p} coefficients`);
  return p;
}

function information(X: readonly (readonly number[])[], means: readonly number[], p: number): number[][] {
  const found = Array.from({ length: p }, () => new Array<number>(p).fill(0));
  X.forEach((row, i) => {
    for (let j = 0; j < p; j += 1) {
      for (let k = 0; k < p; k += 1) found[j]![k]! += means[i]! * row[j]! * row[k]!;
    }
  });
  return found;
}

function deviance(y: readonly number[], means: readonly number[]): number {
  const terms = y.map((count, i) => (count > 0 ? count * Math.log(count / means[i]!) : 0) - (count - means[i]!));
  return 2 * terms.reduce((sum, term) => sum + term, 0);
}
