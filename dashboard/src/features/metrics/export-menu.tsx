import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { LateMenu } from '../../components/late-menu.tsx';
import { saveBlob } from '../../lib/save-file.ts';
import { pngOf, svgOf } from './chart-image.ts';

type Props = {
  title: string;
  /** The name of the files, without extension. */
  name: string;
  csv: () => string;
  /** null until the chart is drawn. Absent if there is no chart. */
  svg?: () => SVGSVGElement | null;
};

/** Saves the numbers of a card, or the image of its chart. */
export function ExportMenu({ title, name, csv, svg }: Props) {
  const saveSvg = (): void => {
    const found = svg?.();
    if (found) saveBlob(`${name}.svg`, new Blob([svgOf(found)], { type: 'image/svg+xml' }));
  };
  const savePng = async (): Promise<void> => {
    const found = svg?.();
    if (found) saveBlob(`${name}.png`, await pngOf(found));
  };
  return (
    <LateMenu
      position="bottom-end"
      withinPortal
      button={
        <ActionIcon variant="subtle" color="gray" aria-label={t`Export ${title}`}>
          <IconDownload size={16} aria-hidden />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          <Menu.Item onClick={() => saveBlob(`${name}.csv`, new Blob([csv()], { type: 'text/csv' }))}>
            <Trans>CSV</Trans>
          </Menu.Item>
          {svg && (
            <>
              <Menu.Item onClick={saveSvg}>
                <Trans>SVG image</Trans>
              </Menu.Item>
              <Menu.Item onClick={() => void savePng()}>
                <Trans>PNG image</Trans>
              </Menu.Item>
            </>
          )}
        </>
      )}
    </LateMenu>
  );
}
