/** Groups differ by color and by pattern. */
const looks = [
  { color: 'var(--gb-chart)', path: null },
  { color: 'var(--gb-chart-2)', path: 'M0 6 L6 0' },
  { color: 'var(--gb-chart-3)', path: 'M0 3 H6' },
  { color: 'var(--gb-chart-4)', path: 'M3 0 V6' },
  { color: 'var(--gb-chart-5)', path: 'M0 0 L6 6 M0 6 L6 0' },
  { color: 'var(--mantine-color-dimmed)', path: 'M3 3 h0.01' },
] as const;
export const otherLook = looks.length - 1;

const idOf = (chart: string, nth: number, isPartial: boolean) => `${chart}-${nth}${isPartial ? '-partial' : ''}`;
/** The fill of a bar. `isPartial`: its interval is not over. */
export const fillOf = (chart: string, nth: number, isPartial = false): string => `url(#${idOf(chart, nth, isPartial)})`;
export const colorOf = (nth: number): string => looks[nth]?.color ?? 'currentColor';

/** `chart`: begins the IDs, which are unique in a page. */
export function ChartPatterns({ chart }: { chart: string }) {
  return (
    <defs>
      {looks.flatMap(({ color, path }, nth) =>
        [false, true].map((isPartial) => (
          <pattern
            key={idOf(chart, nth, isPartial)}
            id={idOf(chart, nth, isPartial)}
            width={6}
            height={6}
            patternUnits="userSpaceOnUse"
          >
            <rect width={6} height={6} fill={color} fillOpacity={isPartial ? 0.18 : path === null ? 1 : 0.4} />
            {(path !== null || isPartial) && (
              <path
                d={path ?? 'M0 6 L6 0'}
                stroke={color}
                strokeWidth={1.5}
                strokeLinecap="round"
                strokeOpacity={isPartial ? 0.6 : 1}
                fill="none"
              />
            )}
          </pattern>
        )),
      )}
    </defs>
  );
}

/** A legend entry's square. */
export function Swatch({ chart, nth }: { chart: string; nth: number }) {
  return (
    <svg width={12} height={12} aria-hidden="true">
      <rect width={12} height={12} rx={2} fill={fillOf(chart, nth)} />
    </svg>
  );
}
