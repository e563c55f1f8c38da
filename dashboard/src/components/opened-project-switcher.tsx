import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Combobox, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCheck } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { useNavigation } from '../lib/navigation.ts';
import { projectName } from '../lib/project-name.ts';
import classes from './project-switcher.module.css';
import { SwitcherButton, type SwitcherProps } from './switcher-button.tsx';

/** Typing pause after which projects are searched. */
const DEBOUNCE_MS = 200;
const SHOWN = 20;

/** The list of `ProjectSwitcher`. */
export function OpenedProjectSwitcher({ projects, currentId, current }: SwitcherProps) {
  const { go } = useNavigation();
  const combobox = useCombobox({
    onDropdownOpen: () => combobox.focusSearchInput(),
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      combobox.focusTarget();
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: opens once, when it appears
  useEffect(() => combobox.openDropdown(), []);
  return (
    <Combobox
      store={combobox}
      position="bottom-start"
      withinPortal
      onOptionSubmit={(href) => {
        combobox.closeDropdown();
        go(href);
      }}
    >
      <Combobox.Target targetType="button">
        <SwitcherButton current={current} currentId={currentId} autoFocus onClick={() => combobox.toggleDropdown()} />
      </Combobox.Target>
      <Combobox.Dropdown>
        {combobox.dropdownOpened && (
          <FoundProjects projects={projects} currentId={currentId} onFound={combobox.selectFirstOption} />
        )}
      </Combobox.Dropdown>
    </Combobox>
  );
}

type FoundProps = { projects: SwitcherProps['projects']; currentId: string | null; onFound: () => void };

function FoundProjects({ projects, currentId, onFound }: FoundProps) {
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim(), DEBOUNCE_MS);
  const found = useResource(['projects', 'switcher', query], () => projects.search({ query, limit: SHOWN }));
  // Those of an earlier text would be opened by a quick Enter.
  const items = query === text.trim() ? found.value?.items : undefined;
  useEffect(() => {
    if (items !== undefined) onFound();
  }, [items, onFound]);
  return (
    <>
      <Combobox.Search
        aria-label={t`Search projects`}
        placeholder={t`Search projects`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Combobox.Options className={classes.options} aria-label={t`Projects`}>
        {items?.map((project) => (
          <Combobox.Option key={project.id} value={`/projects/${project.id}`} active={project.id === currentId}>
            <span className={classes.option}>
              <span className={classes.name}>{projectName(project)}</span>
              {project.id === currentId && <IconCheck size={14} aria-hidden />}
            </span>
          </Combobox.Option>
        ))}
        {items?.length === 0 && (
          <Combobox.Empty>
            <Trans>No projects found</Trans>
          </Combobox.Empty>
        )}
        {found.error !== undefined && <Combobox.Empty>{errorText(found.error)}</Combobox.Empty>}
        <Combobox.Option className={classes.action} value="/projects">
          <Trans>All projects</Trans>
        </Combobox.Option>
        <Combobox.Option value="/projects?new=1">
          <Trans>Create project</Trans>
        </Combobox.Option>
      </Combobox.Options>
    </>
  );
}
