/** One line of the table: two figures of the same run, or a figure against a bound. */
export type Result = {
  name: string;
  /** Gatebook's figure and the reference, in `unit`. */
  gatebook: number;
  reference: number;
  referenceName: string;
  unit: string;
  /** What the ratio gatebook ÷ reference should reach, or stay below; `below`: what the figure itself should. */
  aim: { ratio: number } | { atMost: number } | { below: number };
};

const digits = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2));

/** The results as a Markdown table. */
export function table(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const ratio = result.gatebook / result.reference;
    const [measured, aim, isMet] = judged(result, ratio);
    const figures = `${digits(result.gatebook)} vs. ${digits(result.reference)} ${result.unit}`;
    return `| ${result.name} | ${result.referenceName} | ${figures} | ${measured} | ${aim} | ${isMet ? 'met' : 'missed'} |`;
  });
  return [
    '| Benchmark | Reference | Figures | Measured | Target | |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function judged({ aim, gatebook, unit }: Result, ratio: number): [measured: string, aim: string, isMet: boolean] {
  if ('ratio' in aim) return [`${ratio.toFixed(2)}×`, `≥ ${aim.ratio}×`, ratio >= aim.ratio];
  if ('atMost' in aim) return [`${ratio.toFixed(2)}×`, `≤ ${aim.atMost}×`, ratio <= aim.atMost];
  return [`${digits(gatebook)} ${unit}`, `< ${aim.below} ${unit}`, gatebook < aim.below];
}
