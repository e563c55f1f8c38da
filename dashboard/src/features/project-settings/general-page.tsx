import {
  callOfProjectUpdate,
  callOfSettingsUpdate,
  findInsecureDomains,
  type InsecureDomainKind,
  type Project,
  type ProjectChanges,
  type ProjectConfig,
  type ProjectSettingsChanges,
} from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { List, Stack, Text } from '@mantine/core';
import { AppLink } from '../../components/app-link.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { DraftSwitch, DraftText } from '../../components/drafts/draft-fields.tsx';
import { SaveBar } from '../../components/drafts/save-bar.tsx';
import { type Fields, useDraft } from '../../components/drafts/use-draft.ts';
import { labelsOf, pickSwitches, userSwitches } from '../../components/project-switches.ts';
import { Card } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { required } from '../../lib/required.ts';
import {
  BrandingCard,
  type BrandingValues,
  brandingChanges,
  brandingFields,
  brandingValues,
} from './branding-card.tsx';
import { SettingsHistory, SettingsPage, type SettingsPageProps, useProjectSettings } from './settings-page.tsx';

type Details = { displayName: string; description: string; isProductionMode: boolean };
type Values = Details & BrandingValues & ReturnType<typeof pickUserSwitches>;
const pickUserSwitches = (config: ProjectConfig) => pickSwitches(userSwitches, config);
const fields: Fields<Values> = {
  displayName: { label: t`Name`, fault: required(t`Enter a name`) },
  description: { label: t`Description` },
  ...brandingFields,
  ...labelsOf(userSwitches),
  isProductionMode: { label: t`Production mode` },
};

export function GeneralPage(props: SettingsPageProps) {
  const { update, updateSettings } = useProjectSettings(props);
  return (
    <SettingsPage {...props} path="/settings/general">
      {(project) => <General {...props} shown={project} update={update} updateSettings={updateSettings} />}
    </SettingsPage>
  );
}

type GeneralProps = SettingsPageProps & {
  shown: Project;
  update: (changes: ProjectChanges) => Promise<void>;
  updateSettings: (changes: ProjectSettingsChanges) => Promise<void>;
};

function General({ audit, projectId, shown, update, updateSettings }: GeneralProps) {
  const { displayName, description, isProductionMode, config } = shown;
  const saved: Values = {
    ...{ displayName, description, isProductionMode },
    ...brandingValues(config.branding),
    ...pickUserSwitches(config),
  };
  const draft = useDraft(saved, fields);
  const { displayName: name, description: text, isProductionMode: mode } = draft.changes;
  const switches = Object.fromEntries(
    userSwitches.flatMap(({ name }) => (draft.changes[name] === undefined ? [] : [[name, draft.changes[name]]])),
  ) as Partial<ReturnType<typeof pickUserSwitches>>;
  const branding = brandingChanges(draft.changes);
  const changes: ProjectChanges = {
    ...(name !== undefined && { displayName: name }),
    ...(text !== undefined && { description: text }),
    ...(mode !== undefined && { isProductionMode: mode }),
    ...(Object.keys(switches).length > 0 && { config: switches }),
  };
  const hasDetails = Object.keys(changes).length > 0;
  return (
    <Writing>
      <Card
        title={t`Project`}
        labelId="general-title"
        details={<SettingsHistory audit={audit} projectId={projectId} of="ProjectDetailsChanged" />}
      >
        <Stack gap="md">
          <DraftText draft={draft} name="displayName" />
          <DraftText draft={draft} name="description" kind="lines" />
          <CopyField label={t`Project ID`} value={projectId} />
        </Stack>
      </Card>
      <BrandingCard
        draft={draft}
        productName={shown.displayName}
        history={<SettingsHistory audit={audit} projectId={projectId} of="ProjectSettingsChanged" />}
      />
      <Card
        title={t`Users and teams`}
        labelId="user-switches-title"
        details={<SettingsHistory audit={audit} projectId={projectId} of="ProjectConfigChanged" />}
      >
        <Stack gap="md">
          {userSwitches.map(({ name, description }) => (
            <DraftSwitch key={name} draft={draft} name={name} description={description} />
          ))}
        </Stack>
      </Card>
      <Card title={t`Production mode`} labelId="production-title">
        <ProductionMode draft={draft} project={shown} />
      </Card>
      <SaveBar
        draft={draft}
        calls={[
          ...(hasDetails ? [callOfProjectUpdate(changes)] : []),
          ...(branding ? [callOfSettingsUpdate({ branding })] : []),
        ]}
        save={async () => {
          if (hasDetails) await update(changes);
          if (branding) await updateSettings({ branding });
        }}
      />
    </Writing>
  );
}

type ProductionModeProps = { draft: ReturnType<typeof useDraft<Values>>; project: Project };

const insecureText: Readonly<Record<InsecureDomainKind, (domain: string) => string>> = {
  localhost_allowed: () => t`“Allow localhost” is on.`,
  invalid_url: (domain) => t`${domain} is not a valid URL.`,
  localhost: (domain) => t`${domain} is on localhost.`,
  ip_address: (domain) => t`${domain} is an IP address, not a hostname.`,
  not_https: (domain) => t`${domain} does not use HTTPS.`,
};

/** Lists the domains that the protocol forbids in production mode, which can be turned on once there are none. */
function ProductionMode({ draft, project }: ProductionModeProps) {
  const insecure = findInsecureDomains(project.config);
  const isBlocked = !draft.values.isProductionMode && insecure.length > 0;
  return (
    <Stack gap="md">
      <DraftSwitch
        draft={draft}
        name="isProductionMode"
        description={t`Rejects changes that make the project less secure, such as trusting localhost.`}
        isDisabled={isBlocked}
      />
      {isBlocked && (
        <div>
          <Text size="sm" mb={6}>
            <Trans>
              Correct these <AppLink href={`/projects/${project.id}/settings/domains`}>domains</AppLink> to turn on
              production mode:
            </Trans>
          </Text>
          <List size="sm" spacing={4}>
            {insecure.map(({ kind, domain }) => (
              <List.Item key={`${kind} ${domain}`}>{insecureText[kind](domain)}</List.Item>
            ))}
          </List>
        </div>
      )}
    </Stack>
  );
}
