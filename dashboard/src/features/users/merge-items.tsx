import type { DroppedItem, MergeItem } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import classes from './merge-users-dialog.module.css';

type Props = { title: string; items: readonly (MergeItem | DroppedItem)[] };

/** What moves or does not, by kind. */
export function MergeItems({ title, items }: Props) {
  return (
    <section aria-label={title}>
      <h3 className={classes.title}>{title}</h3>
      {items.length === 0 ? (
        <p className={classes.nothing}>
          <Trans>Nothing</Trans>
        </p>
      ) : (
        <dl className={classes.items}>
          {groupItems(items).map(({ kind, reason, names }) => (
            <div key={`${kind} ${reason}`}>
              <dt>{labels[kind] ?? kind}</dt>
              <dd>
                {names.map((name) => (
                  <span key={name}>{name}</span>
                ))}
                {reason !== null && <small>{reasons[reason] ?? reason}</small>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

type ItemGroup = { kind: string; reason: string | null; names: string[] };

function groupItems(items: Props['items']): ItemGroup[] {
  const groups = new Map<string, ItemGroup>();
  for (const item of items) {
    const reason = 'reason' in item ? item.reason : null;
    const key = `${item.kind} ${reason}`;
    const group = groups.get(key) ?? { kind: item.kind, reason, names: [] };
    groups.set(key, group);
    const name = nameOf(item);
    if (name !== null) group.names.push(name);
  }
  return [...groups.values()];
}

function nameOf({ kind, name, teamName }: MergeItem): string | null {
  if (kind === 'team' || teamName === null) return kind === 'team' ? teamName : name;
  return name === null ? teamName : t`${name} in ${teamName}`;
}

const reasons: Readonly<Record<string, string>> = {
  kept_one_stays: t`The user who stays keeps their own`,
  already_there: t`The user who stays has the same`,
  not_usable: t`Revoked or expired`,
  ends: t`All end`,
};

const labels: Readonly<Record<string, string>> = {
  display_name: t`Display name`,
  profile_image: t`Profile image`,
  client_metadata: t`Client metadata`,
  client_read_only_metadata: t`Read-only client metadata`,
  server_metadata: t`Server metadata`,
  country_code: t`Country`,
  risk_scores: t`Risk scores`,
  email: t`Email addresses`,
  primary_email: t`Primary email`,
  password: t`Password`,
  email_code: t`Sign-in with email codes`,
  second_factor: t`Two-factor authentication`,
  passkey: t`Passkey`,
  connected_account: t`Connected accounts`,
  api_key: t`API keys`,
  project_permission: t`Project permissions`,
  team: t`Teams`,
  team_profile: t`Team profiles`,
  team_permission: t`Team permissions`,
  selected_team: t`Selected team`,
  unsubscribed_category: t`Unsubscribed emails`,
  restriction: t`Restriction`,
  sessions: t`Sessions`,
};
