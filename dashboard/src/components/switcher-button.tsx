import type { OwnedProjectsClient, ProjectOverview } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Skeleton, UnstyledButton } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { projectName } from '../lib/project-name.ts';
import classes from './project-switcher.module.css';

export type SwitcherProps = {
  projects: Pick<OwnedProjectsClient, 'search'>;
  currentId: string | null;
  /** undefined while it loads. */
  current: Pick<ProjectOverview, 'id' | 'displayName'> | null | undefined;
};
type ButtonProps = Pick<SwitcherProps, 'current' | 'currentId'> & ComponentProps<'button'>;

export function SwitcherButton({ current, currentId, ...button }: ButtonProps) {
  const isLoading = currentId !== null && current === undefined;
  const label = current ? projectName(current) : isLoading ? t`Loading project` : t`Select a project`;
  return (
    <UnstyledButton
      className={classes.button}
      aria-label={t`${label}. Switch project`}
      aria-haspopup="listbox"
      {...button}
    >
      <span className={classes.name}>
        {isLoading ? <Skeleton component="span" h={10} w="60%" display="block" /> : label}
      </span>
      <IconSelector size={16} aria-hidden />
    </UnstyledButton>
  );
}
