import type { OpenIdProvidersClient, TeamsClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { MultiSelect, Popover, Select, Stack, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { methodName } from '../../lib/sign-in-methods.ts';
import { teamName } from '../../lib/team-name.ts';
import { FilterButton } from './filter-button.tsx';
import { activeOptions, listOf, type Option, signedUpOptions } from './user-filters.ts';
import classes from './users-page.module.css';
import type { UserField, UsersSearch, UsersSearchChange } from './users-search.ts';

export type UsersFiltersProps = {
  search: UsersSearch;
  projectId: string;
  teams: Pick<TeamsClient, 'list'>;
  openIdProviders: Pick<OpenIdProvidersClient, 'list'>;
  /** Providers of the project, without those that were added by their issuer. */
  providerIds: readonly string[];
  onChange: (change: UsersSearchChange) => void;
};

/** The fields of `UsersFilters`, with its button, which gets the focus. */
export function OpenedUsersFilters(props: UsersFiltersProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(true), []);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" width={320} withinPortal trapFocus shadow="md">
      <Popover.Target>
        <FilterButton autoFocus onClick={() => setOpen(!isOpen)} />
      </Popover.Target>
      <Popover.Dropdown aria-label={t`Filters`} className={classes.filters}>
        <FilterFields {...props} />
      </Popover.Dropdown>
    </Popover>
  );
}

const flags = (yes: string, no: string): readonly Option[] => [
  { value: 'yes', label: yes },
  { value: 'no', label: no },
];
const flagFields: readonly { field: UserField; label: string; options: readonly Option[] }[] = [
  { field: 'verified', label: t`Email`, options: flags(t`Verified`, t`Not verified`) },
  { field: 'restricted', label: t`Restriction`, options: flags(t`Restricted`, t`Not restricted`) },
  { field: 'anonymous', label: t`Type`, options: flags(t`Anonymous`, t`Not anonymous`) },
];
const timeFields: readonly { field: 'active' | 'signed_up'; label: string; options: readonly Option[] }[] = [
  { field: 'active', label: t`Last active`, options: activeOptions },
  { field: 'signed_up', label: t`Signed up`, options: signedUpOptions },
];
const usualMethods = ['password', 'otp', 'passkey'] as const;

function FilterFields({ search, projectId, teams, openIdProviders, providerIds, onChange }: UsersFiltersProps) {
  const allTeams = useResource(['teams', projectId], teams.list);
  const added = useResource(['openid-providers', projectId], openIdProviders.list);
  const chosen = listOf(search.method);
  const addedIds = added.value?.map(({ id }) => id) ?? [];
  const methods = [...new Set([...usualMethods, ...providerIds, ...addedIds, ...chosen])];
  const select = ({ field, label, options }: { field: UserField; label: string; options: readonly Option[] }) => (
    <Select
      key={field}
      label={label}
      placeholder={t`Any`}
      clearable
      comboboxProps={{ withinPortal: false }}
      data={[...options]}
      value={search[field] ?? null}
      onChange={(value) =>
        // The order decides which users are looked at first, so that the filter finds them at once.
        onChange({ [field]: value ?? undefined, ...(field === 'active' && value && { order: 'active' }) })
      }
    />
  );
  return (
    <Stack gap="sm">
      <MultiSelect
        label={t`Sign-in method`}
        classNames={{ inputField: classes.innerField ?? '' }}
        placeholder={chosen.length === 0 ? t`Any` : ''}
        comboboxProps={{ withinPortal: false }}
        data={methods.map((value) => ({ value, label: methodName(value) }))}
        value={chosen}
        onChange={(values) => onChange({ method: values.join(',') || undefined })}
      />
      {flagFields.map(select)}
      {timeFields.map(select)}
      <Select
        label={t`Team`}
        placeholder={t`Any`}
        clearable
        searchable
        limit={50}
        nothingFoundMessage={t`No team found`}
        comboboxProps={{ withinPortal: false }}
        data={(allTeams.value ?? []).map((team) => ({ value: team.id, label: teamName(team) }))}
        value={search.team ?? null}
        onChange={(team) => onChange({ team: team ?? undefined })}
      />
      <CountriesField
        label={t`Last active in`}
        value={search.active_in}
        // As with the time of the latest activity.
        onChange={(active_in) => onChange({ active_in, ...(active_in && { order: 'active' }) })}
      />
      <CountriesField label={t`Country`} value={search.country} onChange={(country) => onChange({ country })} />
    </Stack>
  );
}

type CountriesProps = {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
};

function CountriesField({ label, value, onChange }: CountriesProps) {
  const [text, setText] = useState(value?.replaceAll(',', ', ') ?? '');
  const codes = text
    .toUpperCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const isComplete = codes.every((code) => /^[A-Z]{2}$/.test(code));
  return (
    <TextInput
      label={label}
      placeholder={t`SE, DE`}
      description={t`Two-letter codes`}
      value={text}
      error={!isComplete && text.length > 2 ? t`Enter two-letter country codes` : undefined}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => isComplete && onChange(codes.join(',') || undefined)}
      onKeyDown={(event) => event.key === 'Enter' && isComplete && onChange(codes.join(',') || undefined)}
    />
  );
}
