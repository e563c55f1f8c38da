/**
 * What the figure (`atLeast`, `atMost`) or the ratios must keep: `ratio` that of the figures and that of the CPU,
 * `rateRatio` and `atMostRatio` only that of the figures. null: there is no aim.
 */
export type Aim =
  | { ratio: number }
  | { rateRatio: number }
  | { atMostRatio: number }
  | { atLeast: number }
  | { atMost: number }
  | null;

/** One line of the table. */
export type Result = {
  name: string;
  /** Gatebook's figure, in `unit`. */
  gatebook: number;
  unit: string;
  /** What it is compared with in the same run. Without it, only `aim` judges the figure. */
  reference?: number;
  referenceName?: string;
  /** Gatebook ÷ reference, if not that of the two figures: the median of several rounds. */
  ratio?: number;
  /** CPU time of server and Postgres per answer in ms; the ratio is reference ÷ Gatebook. */
  cpu?: { gatebook: number; reference: number; ratio: number };
  aim: Aim;
};
export type Verdict = 'passed' | 'failed' | 'measured';

/** Comparisons must reach their aim in rate and in CPU. A figure that is not a number fails. */
export function judge(result: Result): Verdict {
  const { aim, gatebook, cpu } = result;
  const ratio = ratioOf(result);
  if (![gatebook, ...(ratio === null ? [] : [ratio]), ...(cpu ? [cpu.ratio] : [])].every(Number.isFinite))
    return 'failed';
  if (aim === null) return 'measured';
  return isMet(aim, gatebook, ratio, cpu?.ratio ?? null) ? 'passed' : 'failed';
}

function isMet(aim: NonNullable<Aim>, figure: number, ratio: number | null, cpuRatio: number | null): boolean {
  if ('atLeast' in aim) return figure >= aim.atLeast;
  if ('atMost' in aim) return figure <= aim.atMost;
  if (ratio === null) throw new Error('an aim for a ratio needs a reference');
  if ('atMostRatio' in aim) return ratio <= aim.atMostRatio;
  if ('rateRatio' in aim) return ratio >= aim.rateRatio;
  return ratio >= aim.ratio && (cpuRatio === null || cpuRatio >= aim.ratio);
}

function ratioOf({ gatebook, reference, ratio }: Result): number | null {
  return ratio ?? (reference === undefined ? null : gatebook / reference);
}

/** `3 passed, 1 failed`, with the number of figures without an aim if there are any. */
export function closingLine(results: readonly Result[]): string {
  const count = (verdict: Verdict) => results.filter((result) => judge(result) === verdict).length;
  const measured = count('measured');
  return `${count('passed')} passed, ${count('failed')} failed${measured > 0 ? ` (${measured} without an aim)` : ''}`;
}

const digits = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2));
const times = (ratio: number) => `${ratio.toFixed(2)}×`;

/** The results as a Markdown table. */
export function toTable(results: readonly Result[]): string {
  return [
    '| Benchmark | Compared with | Figures | Ratio | CPU per answer | Ratio | Aim | |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(toRow),
  ].join('\n');
}

/** One line of the table. */
export function toRow(result: Result): string {
  const { name, gatebook, reference, referenceName = '–', unit, cpu, aim } = result;
  const ratio = ratioOf(result);
  const cells = [
    name,
    referenceName,
    reference === undefined ? `${digits(gatebook)} ${unit}` : `${digits(gatebook)} vs. ${digits(reference)} ${unit}`,
    ratio === null ? '–' : times(ratio),
    cpu ? `${cpu.gatebook.toFixed(2)} vs. ${cpu.reference.toFixed(2)} ms` : '–',
    cpu ? times(cpu.ratio) : '–',
    aimText(aim, unit),
    judge(result),
  ];
  return `| ${cells.join(' | ')} |`;
}

function aimText(aim: Aim, unit: string): string {
  if (aim === null) return '–';
  if ('ratio' in aim) return `≥ ${aim.ratio}×`;
  if ('rateRatio' in aim) return `≥ ${aim.rateRatio}×, rate`;
  if ('atMostRatio' in aim) return `≤ ${aim.atMostRatio}×`;
  if ('atLeast' in aim) return `≥ ${aim.atLeast.toLocaleString('en-US')} ${unit}`;
  return `≤ ${aim.atMost.toLocaleString('en-US')} ${unit}`;
}
