import classes from './overlay-root.module.css';

/**
 * Menus, lists of choices and dialogs are rendered here, so that they are within a landmark. Mantine looks for the
 * attribute before it creates such an element outside of all landmarks.
 */
export function OverlayRoot() {
  return <div data-mantine-shared-portal-node className={classes.root} />;
}
