import type { Project } from '@gatebook/js/admin';
import { Menu, Skeleton, UnstyledButton } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useNavigation } from '../lib/navigation.ts';
import classes from './project-switcher.module.css';

type Props = { projects: readonly Pick<Project, 'id' | 'displayName'>[] | undefined; currentId: string | null };

/** Menu of the owner's projects; choosing one opens its overview. */
export function ProjectSwitcher({ projects, currentId }: Props) {
  const { go } = useNavigation();
  const current = projects?.find(({ id }) => id === currentId);
  // Until the projects are known, the current one has no name yet.
  const isLoading = projects === undefined && currentId !== null;
  const label = current ? nameOf(current) : isLoading ? 'Loading project' : 'Select a project';
  return (
    <Menu width="target" position="bottom-start" withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.button} aria-label={`${label}. Switch project`}>
          <span className={classes.name}>
            {isLoading ? <Skeleton component="span" h={10} w="60%" display="block" /> : label}
          </span>
          <IconSelector size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={classes.dropdown}>
        {projects?.map((project) => (
          <Menu.Item
            key={project.id}
            onClick={() => go(`/projects/${project.id}`)}
            rightSection={project.id === currentId ? <IconCheck size={14} aria-hidden /> : null}
          >
            {nameOf(project)}
          </Menu.Item>
        ))}
        {projects && projects.length > 0 && <Menu.Divider />}
        <Menu.Item onClick={() => go('/projects')}>All projects</Menu.Item>
        <Menu.Item onClick={() => go('/projects?new=1')}>Create project</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function nameOf({ id, displayName }: Pick<Project, 'id' | 'displayName'>): string {
  return displayName.trim() === '' ? id : displayName;
}
