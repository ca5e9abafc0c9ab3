// Round numbers for axes and colour bars.

/** A round distance between ticks: 1, 2 or 5 times a power of ten. */
export function tick(low, high, count = 4) {
  const rough = (high - low) / count;
  if (!(rough > 0) || !isFinite(rough)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((m) => m * power >= rough * 0.999) * power;
}

/** The values of the ticks between two numbers. */
export function ticks(low, high, count = 4) {
  const step = tick(low, high, count);
  const values = [];
  for (let k = Math.ceil(low / step - 1e-6); k * step <= high + 1e-6 * step && values.length < 20; k++) {
    values.push(k * step);
  }
  return values;
}

/** A number for people: four digits, powers of ten only where they help. */
export function format(value) {
  if (!isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2).replace(/\.?0*e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}
