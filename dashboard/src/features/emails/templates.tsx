import type { EmailTemplate } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Badge } from '@mantine/core';
import { AppLink } from '../../components/app-link.tsx';
import { editableEmailTypes, emailTypeNames } from './email-types.ts';
import classes from './emails.module.css';

type Props = { projectId: string; templates: readonly EmailTemplate[] };

/** The templates, each with a link to its editor. */
export function Templates({ projectId, templates }: Props) {
  const rows = editableEmailTypes.flatMap((type) => templates.filter((template) => template.type === type));
  return (
    <ul className={classes.list}>
      {rows.map(({ type, subject, isDefault }) => (
        <li key={type} className={classes.row}>
          <div className={classes.what}>
            <AppLink href={`/projects/${projectId}/emails/${type}`} className={classes.subject}>
              {emailTypeNames[type]}
            </AppLink>
            <span className={classes.to}>{subject}</span>
          </div>
          <Badge variant={isDefault ? 'default' : 'light'} size="sm">
            {isDefault ? t`Default` : t`Customized`}
          </Badge>
        </li>
      ))}
    </ul>
  );
}
