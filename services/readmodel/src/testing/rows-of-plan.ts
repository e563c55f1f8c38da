export type Plan = { 'Actual Rows': number; 'Actual Loops': number; Plans?: readonly Plan[] };

const rowsOf = (plan: Plan): number =>
  (plan.Plans ?? []).map(rowsOf).reduce((sum, rows) => sum + rows, plan['Actual Rows'] * plan['Actual Loops']);

/** How many rows all nodes of a plan returned, by `explain (analyze, format json)`. */
export const rowsOfPlan = ([row]: readonly { 'QUERY PLAN': readonly { Plan: Plan }[] }[]): number =>
  (row?.['QUERY PLAN'] ?? []).reduce((sum, { Plan }) => sum + rowsOf(Plan), 0);
