import type { AnalyticsMeasure } from '@gatebook/contract/analytics-ranges';
import type { Analytics } from '@gatebook/js/admin';
import { ActionIcon, Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { RefObject } from 'react';
import { saveBlob } from '../../lib/save-file.ts';
import { measureWords } from './analytics-text.ts';
import { csvOf } from './chart-csv.ts';
import { pngOf, svgOf } from './chart-image.ts';
import type { OverviewSearch } from './overview-search.ts';

type Props = {
  analytics: Analytics;
  measure: AnalyticsMeasure;
  search: OverviewSearch;
  /** Contains the chart, once it is drawn. */
  chart: RefObject<HTMLElement | null>;
};

/** Saves the numbers of a chart, or its image. */
export function ExportMenu({ analytics, measure, search: { range, unit, by }, chart }: Props) {
  const { title } = measureWords[measure];
  const name = [measure.replace('_', '-'), range, unit, by].filter(Boolean).join('-');
  const svg = (): SVGSVGElement | null => chart.current?.querySelector('svg.recharts-surface') ?? null;
  const saveSvg = (): void => {
    const found = svg();
    if (found) saveBlob(`${name}.svg`, new Blob([svgOf(found)], { type: 'image/svg+xml' }));
  };
  const savePng = async (): Promise<void> => {
    const found = svg();
    if (found) saveBlob(`${name}.png`, await pngOf(found));
  };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Export ${title}`}>
          <IconDownload size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => saveBlob(`${name}.csv`, new Blob([csvOf(analytics, by)], { type: 'text/csv' }))}>
          CSV
        </Menu.Item>
        <Menu.Item onClick={saveSvg}>SVG image</Menu.Item>
        <Menu.Item onClick={() => void savePng()}>PNG image</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
