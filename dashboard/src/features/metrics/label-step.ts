const CHARACTER_PX = 7;
const MIN_GAP_PX = 28;

/** Every how many bars have a label, so that labels do not meet and the last one does not leave the chart. */
export function labelStep(labels: readonly string[], widthPx: number): number {
  const count = labels.length;
  const barPx = Math.max(0, widthPx) / count;
  const labelPx = CHARACTER_PX * Math.max(0, ...labels.map(({ length }) => length));
  const fits = (step: number): boolean => {
    const barsAfterLast = ((count - 1) % step) + 0.5;
    return step * barPx >= labelPx + MIN_GAP_PX && barsAfterLast * barPx >= labelPx / 2;
  };
  for (let step = 1; step < count; step += 1) if (fits(step)) return step;
  return Math.max(1, count);
}
