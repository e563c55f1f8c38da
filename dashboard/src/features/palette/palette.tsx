import type { OwnedProjectsClient, TeamsClient, UsersClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Fragment, type KeyboardEvent, useId, useRef, useState } from 'react';
import { errorText } from '../../lib/error-text.ts';
import { useNavigation } from '../../lib/navigation.ts';
import { projectName } from '../../lib/project-name.ts';
import { settingsEntries } from '../../lib/settings-pages.ts';
import { teamName } from '../../lib/team-name.ts';
import { userName } from '../../lib/user-name.ts';
import { type Entry, matches, type Section } from './entries.ts';
import classes from './palette.module.css';
import { readRecent } from './recent.ts';

/** Typing pause after which the server is searched. */
const DEBOUNCE_MS = 200;
/** Entries of one section. */
const SHOWN = 6;

export type PaletteProps = {
  isOpen: boolean;
  onClose: () => void;
  /** null: no project is open. */
  project: { id: string; users: Pick<UsersClient, 'search'>; teams: Pick<TeamsClient, 'search'> } | null;
  projects: Pick<OwnedProjectsClient, 'search'>;
  pages: readonly { href: string; label: string; isExternal?: boolean }[];
  actions: readonly Entry[];
};

/** Finds pages, settings, people, teams, projects and actions, and opens the one that is chosen. */
export default function Palette({ isOpen, onClose, ...props }: PaletteProps) {
  return (
    <Modal.Root opened={isOpen} onClose={onClose} size="lg" yOffset="12vh" centered={false}>
      <Modal.Overlay />
      <Modal.Content aria-label={t`Search`}>
        <Modal.Body p={0}>
          <Search onClose={onClose} {...props} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Search({ onClose, ...props }: Omit<PaletteProps, 'isOpen'>) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const { sections, error, isLoading } = useSections(props, text.trim());
  const entries = sections.flatMap((section) => section.entries);
  const current = entries[Math.min(active, entries.length - 1)];
  const optionId = (entry: Entry) => `${listId}-${entry.id}`;
  const choose = (entry: Entry): void => {
    onClose();
    entry.run();
  };
  const move = (to: number): void => {
    const next = (to + entries.length) % Math.max(1, entries.length);
    setActive(next);
    list.current?.querySelectorAll('[role="option"]')[next]?.scrollIntoView({ block: 'nearest' });
  };
  const press = (event: KeyboardEvent): void => {
    const at = current ? entries.indexOf(current) : 0;
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at - 1),
      Enter: () => current && choose(current),
    };
    const run = keys[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
  return (
    <>
      <TextInput
        role="combobox"
        aria-label={t`Search`}
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        {...(current && { 'aria-activedescendant': optionId(current) })}
        placeholder={t`Search pages, users, teams, projects and actions`}
        variant="unstyled"
        className={classes.input}
        leftSection={<IconSearch size={16} aria-hidden />}
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={press}
      />
      <div id={listId} ref={list} role="listbox" aria-label={t`Results`} className={classes.list}>
        {sections.map((section) => (
          <Fragment key={section.label}>
            <div className={classes.section} role="presentation">
              {section.label}
            </div>
            {section.entries.map((entry) => (
              <Option
                key={entry.id}
                id={optionId(entry)}
                entry={entry}
                isActive={entry === current}
                onChoose={() => choose(entry)}
                onHover={() => setActive(entries.indexOf(entry))}
              />
            ))}
          </Fragment>
        ))}
      </div>
      <div role="status" className={classes.status}>
        {error !== undefined
          ? errorText(error)
          : entries.length === 0 && (isLoading ? t`Searching…` : t`Nothing matches “${text.trim()}”.`)}
      </div>
    </>
  );
}

type OptionProps = { id: string; entry: Entry; isActive: boolean; onChoose: () => void; onHover: () => void };

function Option({ id, entry: { label, note }, isActive, onChoose, onHover }: OptionProps) {
  return (
    // The keys are those of the search field, which keeps the focus.
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      className={classes.option}
      onClick={onChoose}
      onMouseMove={onHover}
      onKeyDown={(event) => event.key === 'Enter' && onChoose()}
    >
      <span>{label}</span>
      {note && <small>{note}</small>}
    </div>
  );
}

type Found = { sections: readonly Section[]; error: unknown; isLoading: boolean };

function useSections(props: Omit<PaletteProps, 'isOpen' | 'onClose'>, text: string): Found {
  const { project, pages, actions } = props;
  const { go } = useNavigation();
  const [query] = useDebouncedValue(text, DEBOUNCE_MS);
  const found = useFound(props, query);
  // Those of an earlier text would be opened by a quick Enter.
  const current = <Item,>(items: readonly Item[] | undefined) => (query === text ? (items ?? []) : []);
  const home = `/projects/${project?.id}`;
  const open = (id: string, label: string, href: string, more: Partial<Entry> = {}): Entry => {
    return { id, label, run: () => go(href), ...more };
  };
  const matching = (label: string, entries: readonly Entry[]): Section => {
    return { label, entries: entries.filter((entry) => matches(entry, text)).slice(0, SHOWN) };
  };
  const pageEntries = pages.map(({ href, label, isExternal }) =>
    open(`page-${href}`, label, href, isExternal ? { run: () => globalThis.location.assign(href) } : {}),
  );
  const recent = () =>
    readRecent()
      .filter(({ href }) => href !== globalThis.location.pathname)
      .map(({ href, label }) => open(`recent-${href}`, label, href));
  const userEntries = current(found.users).map((user) =>
    open(`user-${user.id}`, userName(user), `${home}/users/${user.id}`, { note: user.primaryEmail ?? user.id }),
  );
  const foundPages = matching(t`Pages`, pageEntries);
  const isFoundPage = (href: string) => foundPages.entries.some(({ id }) => id === `page-${href}`);
  const sections: Section[] = [
    text === '' ? { label: t`Recent`, entries: recent() } : { label: t`Users`, entries: userEntries },
    { ...foundPages, ...(text === '' && { entries: pageEntries }) },
    matching(t`Actions`, actions),
  ];
  if (text !== '' && project !== null) {
    const settingEntries = settingsEntries
      .filter(({ path }) => !isFoundPage(`${home}${path}`))
      .map(({ path, label, keywords }) =>
        open(`setting-${path}`, label, `${home}${path}`, { note: t`Settings`, keywords }),
      );
    const teamEntries = current(found.teams).map((team) =>
      open(`team-${team.id}`, teamName(team), `${home}/teams/${team.id}`),
    );
    sections.push(matching(t`Settings`, settingEntries), { label: t`Teams`, entries: teamEntries });
  }
  const projectEntries = current(found.projects).map((one) =>
    open(`project-${one.id}`, projectName(one), `/projects/${one.id}`),
  );
  sections.push({ label: t`Projects`, entries: projectEntries });
  return {
    sections: sections.filter(({ entries }) => entries.length > 0),
    error: found.error,
    isLoading: query !== text || found.isFetching,
  };
}

/** What the server finds for a text. */
function useFound({ project, projects: owned }: Pick<PaletteProps, 'project' | 'projects'>, query: string) {
  const id = project?.id ?? '';
  const isSought = project !== null && query !== '';
  const users = useResource(['palette', 'users', id, query], async () =>
    isSought ? (await project.users.search({ query, limit: SHOWN, desc: true })).items : [],
  );
  const teams = useResource(['teams', id, 'palette', query], async () =>
    isSought ? (await project.teams.search({ query, limit: SHOWN, orderBy: 'displayName' })).items : [],
  );
  const projects = useResource(
    ['projects', 'palette', query],
    async () => (await owned.search({ query, limit: SHOWN })).items,
  );
  return {
    users: users.value,
    teams: teams.value,
    projects: projects.value,
    error: users.error ?? teams.error ?? projects.error,
    isFetching: users.isFetching || teams.isFetching || projects.isFetching,
  };
}
