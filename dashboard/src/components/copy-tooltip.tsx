import { Tooltip, type TooltipProps } from '@mantine/core';

export const CopyTooltip = (props: Pick<TooltipProps, 'target' | 'label' | 'opened'>) => <Tooltip {...props} />;
