export { ConvergenceError, SingularError } from "./errors.js";
export { PoissonFit, fitPoisson, type FitOptions } from "./poisson.js";
export { movingMean } from "./window.js";
