// Round numbers for axes and colour bars.

/** A round distance between ticks: 1, 2 or 5 times a power of ten. */
export function tick(low, high, count = 4) {
  const rough = (high - low) / count;
  if (!(rough > 0) || !isFinite(rough)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].find((m) => m * power >= rough * 0.999) * power;
}

/** The power of ten of the first digit. */
function exponent(value) {
  return Number(value.toExponential(9).split("e")[1]);
}

/** A multiple of a step, with as many digits as the step has. */
function label(value, step) {
  if (value === 0) return "0";
  if (Math.abs(value) < 1e6 && step >= 0.999e-4) return value.toFixed(Math.max(0, -exponent(step)));
  return value.toExponential(Math.min(20, Math.max(0, exponent(value) - exponent(step)))).replace("e+", "e");
}

/**
 * The ticks between two numbers as [value, label], no two labels alike; and what is to be added to all labels, where
 * only their last digits would differ if they were written out.
 */
export function axis(low, high, count = 4) {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const step = tick(low, high, count);
  if (!(high > low && step >= 4e-15 * size)) return { ticks: [[low, format(low)]], base: "" };
  const first = Math.ceil(low / step - 1e-6);
  const last = Math.min(Math.floor(high / step + 1e-6), first + 20);
  const far = exponent(size) - exponent(step) >= 6;
  const round = 10 ** (exponent(high - low) + 1);
  const base = far ? Math.floor(low / round) : 0;
  const from = base * Math.round(round / step);
  const ticks = [];
  for (let k = 0; k <= last - first; k++) ticks.push([(first + k) * step, label((first + k - from) * step, step)]);
  return { ticks, base: far ? label(base * round, round) : "" };
}

/** A number for people: four digits, powers of ten only where they help. */
export function format(value) {
  if (!isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2).replace(/\.?0*e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(4)));
}
