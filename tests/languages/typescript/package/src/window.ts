/**
 * Means of all windows of consecutive numbers.
 *
 * @throws RangeError where `width` is no whole number from 1 to the length of `y`
 */
export function movingMean(y: readonly number[], width: number = 7): number[] {
  if (!Number.isInteger(width) || width < 1 || width > y.length) {
    throw new RangeError(`width is ${width}, and must be a whole number from 1 to ${y.length}`);
  }
  const found: number[] = [];
  for (let first = 0; first + width <= y.length; first += 1) {
    let sum = 0;
    for (let k = first; k < first + width; k += 1) sum += y[k]!;
    found.push(sum / width);
  }
  return found;
}
