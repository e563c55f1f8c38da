import { useState } from 'react';
import { late, useLate } from '../lib/late.ts';
import { SwitcherButton, type SwitcherProps } from './switcher-button.tsx';

const code = late(async () => (await import('./opened-project-switcher.tsx')).OpenedProjectSwitcher);

/**
 * Finds one of the owner's projects; choosing it opens its overview. Until it is first opened, only its button is
 * there.
 */
export function ProjectSwitcher(props: SwitcherProps) {
  const [isOpened, setOpened] = useState(false);
  const Opened = useLate(code, isOpened, () => setOpened(false));
  if (isOpened && Opened) return <Opened {...props} />;
  const { current, currentId } = props;
  return (
    <SwitcherButton current={current} currentId={currentId} aria-expanded={false} onClick={() => setOpened(true)} />
  );
}
