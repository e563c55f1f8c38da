import { findTrustedDomainFault, type TrustedDomainFault } from '@gatebook/domain/project/trusted-domains';
import { callOfProjectUpdate, type Project, type ProjectClient, type ProjectConfig } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { DraftSwitch } from '../../components/drafts/draft-fields.tsx';
import { SaveBar } from '../../components/drafts/save-bar.tsx';
import { type Draft, type Fields, useDraft } from '../../components/drafts/use-draft.ts';
import { Card } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { DomainTest } from './domain-test.tsx';
import classes from './project-settings.module.css';
import { SettingsHistory, SettingsPage, type SettingsPageProps, useProjectSettings } from './settings-page.tsx';

type Domain = ProjectConfig['domains'][number];
type Values = Pick<ProjectConfig, 'allowLocalhost' | 'domains'>;
const fields: Fields<Values> = {
  allowLocalhost: { label: t`Allow localhost` },
  domains: {
    label: t`Domains`,
    text: (domains) => domains.map(({ domain, handlerPath }) => `${domain} (${handlerPath})`).join(', ') || t`none`,
    fault: (domains) => (domains.some((each) => domainFault(each) ?? pathFault(each)) ? t`Correct the domains` : null),
  },
};

export function DomainsPage(props: SettingsPageProps) {
  const { update } = useProjectSettings(props);
  return (
    <SettingsPage
      {...props}
      path="/settings/domains"
      lead={t`Links in emails, redirects after sign-in and passkeys are restricted to these domains.`}
    >
      {(project) => <Domains {...props} shown={project} save={(config) => update({ config })} />}
    </SettingsPage>
  );
}

type DomainsProps = SettingsPageProps & { shown: Project; save: (config: Partial<Values>) => Promise<void> };

function Domains({ client, audit, projectId, shown, save }: DomainsProps) {
  const { allowLocalhost, domains } = shown.config;
  const draft = useDraft<Values>({ allowLocalhost, domains }, fields);
  return (
    <Writing>
      <Card
        title={t`Trusted domains`}
        labelId="domains-title"
        details={<SettingsHistory audit={audit} projectId={projectId} of="ProjectConfigChanged" />}
      >
        <Stack gap="md">
          <DraftSwitch
            draft={draft}
            name="allowLocalhost"
            description={t`For development: trusts all URLs on localhost.`}
          />
          <DomainFields draft={draft} test={client.testDomain} />
          <Wildcards />
        </Stack>
      </Card>
      <SaveBar draft={draft} calls={[callOfProjectUpdate({ config: draft.changes })]} save={save} />
    </Writing>
  );
}

type DomainFieldsProps = { draft: Draft<Values>; test: ProjectClient['testDomain'] };

function DomainFields({ draft, test }: DomainFieldsProps) {
  const { domains } = draft.values;
  const showsFaults = draft.faultOf('domains') !== null;
  const change = (index: number, changed: Partial<Domain>) =>
    draft.set(
      'domains',
      domains.map((each, at) => (at === index ? { ...each, ...changed } : each)),
    );
  return (
    <>
      {domains.map((domain, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: every field is controlled, so a row can show another domain
        <div key={index} className={classes.domain}>
          <TextInput
            label={t`Domain`}
            placeholder="https://shop.example"
            value={domain.domain}
            error={showsFaults && domainFault(domain)}
            onChange={(event) => change(index, { domain: event.currentTarget.value })}
          />
          <TextInput
            label={t`Handler path`}
            value={domain.handlerPath}
            error={showsFaults && pathFault(domain)}
            onChange={(event) => change(index, { handlerPath: event.currentTarget.value })}
          />
          <ActionIcon
            variant="default"
            size={36}
            aria-label={t`Remove domain`}
            onClick={() =>
              draft.set(
                'domains',
                domains.filter((_, at) => at !== index),
              )
            }
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
          {domainFault(domain) === null && pathFault(domain) === null && (
            <DomainTest key={`${domain.domain} ${domain.handlerPath}`} domain={domain} test={test} />
          )}
        </div>
      ))}
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => draft.set('domains', [...domains, { domain: '', handlerPath: '/handler' }])}
        >
          <Trans>Add domain</Trans>
        </Button>
      </Group>
    </>
  );
}

function Wildcards() {
  return (
    <Text size="sm" c="dimmed" component="div">
      <Trans>For preview deployments and tenants, use a wildcard before the last two labels of the host:</Trans>
      <ul className={classes.examples}>
        <li>
          <Trans>
            <code>https://*.shop.example</code> trusts https://eu.shop.example, but not https://a.eu.shop.example
          </Trans>
        </li>
        <li>
          <Trans>
            <code>https://app-*.shop.example</code> trusts https://app-42.shop.example
          </Trans>
        </li>
        <li>
          <Trans>
            <code>https://**.shop.example</code> trusts https://a.eu.shop.example too
          </Trans>
        </li>
      </ul>
      <Trans>None of them trusts https://shop.example itself. Only trust hosts that you control.</Trans>
    </Text>
  );
}

function domainFault({ domain }: Domain): string | null {
  if (!/^https?:\/\/[^\s/]/.test(domain)) return t`Enter a URL that starts with https://`;
  const fault = findTrustedDomainFault(domain);
  return fault === null ? null : faultTexts[fault];
}

const faultTexts: Readonly<Record<TrustedDomainFault, string>> = {
  scheme: t`Enter a URL that starts with https://`,
  place: t`Use wildcards only in the host name`,
  port: t`Use no wildcard as the port`,
  wildcard: t`This domain has an invalid wildcard: the last two labels must not contain one; before them, a label can be ** (once) or contain one *, as in https://*.example.com or https://app-*.example.com`,
  url: t`Enter a complete URL without spaces`,
};

function pathFault({ handlerPath }: Domain): string | null {
  return handlerPath.startsWith('/') ? null : t`Enter a path that starts with /`;
}
