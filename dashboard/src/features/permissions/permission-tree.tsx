import type { PermissionDefinition } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import classes from './permission-tree.module.css';

type Props = { id: string; definitions: readonly PermissionDefinition[] };

/** What a permission contains, and what these contain. Nothing if it contains no others. */
export function PermissionTree({ id, definitions }: Props) {
  const contained = definitions.find((one) => one.id === id)?.containedPermissionIds ?? [];
  if (contained.length === 0) return null;
  return (
    <ul className={classes.tree} aria-label={t`Contained in ${id}`}>
      {contained.map((inner) => (
        <li key={inner}>
          <code>{inner}</code>
          <PermissionTree id={inner} definitions={definitions} />
        </li>
      ))}
    </ul>
  );
}
