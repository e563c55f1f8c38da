import {
  type AuditClient,
  type AuditEvent,
  type EmailType,
  emailLanguages,
  type FieldChange,
} from '@gatebook/js/admin';
import type { AdminClient } from '@gatebook/js/owner-client';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { AppLink } from '../../components/app-link.tsx';
import type { ObjectType } from '../../components/audit/target-pages.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { BlockLoading, Card, ErrorNote } from '../../components/states.tsx';
import { formatZonedTime } from '../../lib/format.ts';
import { hrefAt } from '../../lib/moment.ts';
import type { Owner } from './find-end.ts';

/** The parts of the client that read an object as it was. */
export type PastClient = Pick<AdminClient, 'keys' | 'apiKeys' | 'emails'>;

type Props = {
  audit: Pick<AuditClient, 'compare'>;
  projectId: string;
  object: { type: ObjectType; id: string };
  owner: Owner | null;
  end: { event: AuditEvent; before: AuditEvent };
  at: (moment: string) => PastClient;
};

type Described = { name: string; value: string }[];

/** What an object was right before it was deleted. */
export function LastState({ projectId, owner, ...read }: Props) {
  const { object, end } = read;
  const key = ['last-state', projectId, object.type, object.id, end.event.id];
  const found = useResource(key, () => describe({ ...read, owner }));
  return (
    <Card title={t`As it last was`} labelId="last-state-title">
      {found.error !== undefined && (
        <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />
      )}
      {found.error === undefined && found.value === undefined && <BlockLoading height={96} label={t`Loading object`} />}
      {found.value === null && <Trans>It did not exist then, or its data is erased.</Trans>}
      {found.value && (
        <Facts>
          {found.value.map(({ name, value }) => (
            <Fact key={name} name={name}>
              {value === '' ? t`none` : value}
            </Fact>
          ))}
          {owner && (
            <Fact name={owner.type === 'user' ? t`User` : t`Team`}>
              <AppLink href={hrefAt(`/projects/${projectId}/${owner.type}s/${owner.id}`, end.before.id)}>
                {owner.name ?? owner.id}
              </AppLink>
            </Fact>
          )}
        </Facts>
      )}
    </Card>
  );
}

type Read = Omit<Props, 'projectId'>;

async function describe({ audit, object: { type, id }, owner, end, at }: Read): Promise<Described | null> {
  const past = at(end.before.id);
  switch (type) {
    case 'project_key':
      return describeProjectKey(past, id);
    case 'api_key':
      return owner && describeApiKey(past, owner, id);
    case 'permission':
      return describePermission(audit, id, end);
    case 'email_template':
      return describeTemplate(past, id);
  }
}

const timeText = (at: Date | null): string => (at === null ? t`never` : formatZonedTime(at));

async function describeProjectKey({ keys }: PastClient, id: string): Promise<Described | null> {
  const key = (await keys.list()).find((each) => each.id === id);
  if (!key) return null;
  const { publishableClientKey: client, secretServerKey: server, superSecretAdminKey: admin } = key.lastFour;
  const parts = [
    { name: t`Publishable client key`, lastFour: client },
    { name: t`Secret server key`, lastFour: server },
    { name: t`Super secret admin key`, lastFour: admin },
  ];
  return [
    { name: t`Name`, value: key.description },
    ...parts.flatMap(({ name, lastFour }) => (lastFour === null ? [] : [{ name, value: `…${lastFour}` }])),
    { name: t`Created`, value: timeText(key.createdAt) },
    { name: t`Expires`, value: timeText(key.expiresAt) },
  ];
}

async function describeApiKey({ apiKeys }: PastClient, owner: Owner, id: string): Promise<Described | null> {
  const key = (await apiKeys.list(owner)).find((each) => each.id === id);
  if (!key) return null;
  return [
    { name: t`Name`, value: key.description },
    { name: t`Key`, value: `…${key.lastFour}` },
    { name: t`Created`, value: timeText(key.createdAt) },
    { name: t`Expires`, value: timeText(key.expiresAt) },
  ];
}

/** By its key, which no change of its ID changes. */
async function describePermission(
  audit: Read['audit'],
  targetId: string,
  { event, before }: Read['end'],
): Promise<Described | null> {
  for (const scope of ['team', 'project'] as const) {
    const target = { targetType: `${scope}_permission_definition`, targetId };
    const { existedBefore, changes } = await audit.compare({ ...target, from: before.id, to: event.id });
    if (!existedBefore) continue;
    const textBefore = (field: string) => textOf(changes.find((change) => change.field === field));
    return [
      { name: t`ID`, value: textBefore('id') },
      { name: t`Scope`, value: scope === 'team' ? t`Team` : t`Project` },
      { name: t`Description`, value: textBefore('description') },
      { name: t`Contains`, value: textBefore('contained_permission_ids') },
    ];
  }
  return null;
}

const textOf = (change: FieldChange | undefined): string =>
  Array.isArray(change?.before) ? change.before.join(', ') : String(change?.before ?? '');

async function describeTemplate({ emails }: PastClient, versionId: string): Promise<Described | null> {
  const [type = '', tag] = versionId.split('.');
  const language = emailLanguages.find((each) => each === tag);
  const template = language
    ? await emails.getTemplateVersion(type as EmailType, language)
    : (await emails.listTemplates()).find((each) => each.type === type);
  if (!template) return null;
  return [{ name: t`Subject`, value: template.subject }, ...(language ? [{ name: t`Language`, value: language }] : [])];
}
