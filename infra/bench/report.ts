/** One line of the table: two figures of the same run, or a figure against a bound. */
export type Result = {
  name: string;
  /** Gatebook's figure and what it is held against, in `unit`. */
  gatebook: number;
  reference: number;
  referenceName: string;
  unit: string;
  /** What the ratio gatebook ÷ reference should reach; `below` when less is better. */
  aim: { ratio: number } | { below: number };
};

const digits = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2));

/** The results as a Markdown table. */
export function table(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const ratio = result.gatebook / result.reference;
    const [measured, aim, isMet] =
      'ratio' in result.aim
        ? [`${ratio.toFixed(2)}×`, `≥ ${result.aim.ratio}×`, ratio >= result.aim.ratio]
        : [
            `${digits(result.gatebook)} ${result.unit}`,
            `< ${result.aim.below} ${result.unit}`,
            result.gatebook < result.aim.below,
          ];
    const figures = `${digits(result.gatebook)} against ${digits(result.reference)} ${result.unit}`;
    return `| ${result.name} | ${result.referenceName} | ${figures} | ${measured} | ${aim} | ${isMet ? 'met' : 'missed'} |`;
  });
  return ['| What | Against | Figures | Measured | Aim | |', '| --- | --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}
