import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import type { ComponentProps } from 'react';

export const FilterButton = (props: ComponentProps<'button'>) => (
  <Button variant="default" leftSection={<IconFilter size={16} aria-hidden />} {...props}>
    <Trans>Filter</Trans>
  </Button>
);
