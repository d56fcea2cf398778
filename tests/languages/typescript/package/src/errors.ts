/** The iteration has not settled within its limit. */
export class ConvergenceError extends Error {}

/** The information matrix has no inverse. */
export class SingularError extends Error {}
