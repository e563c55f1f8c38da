const layers = '[role="dialog"], [role="menu"]';
const controls = 'a[href], button:not(:disabled)';

const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body;
const take = (element: HTMLElement | null | undefined): boolean => {
  if (element?.isConnected) element.focus({ preventScroll: true });
  return !isFocusLost();
};

/**
 * Returns the focus to what opened a dialog when the focus would be lost: the item of a menu that has closed, or a row
 * that was deleted. Then the menu's button, the next row, or the heading gets it.
 * @returns what stops it
 */
export function returnFocus(): () => void {
  let opener: HTMLElement | null = null;
  let neighbors: readonly (Element | null)[] = [];
  let isOpen = false;
  let isReturning = false;
  const remember = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement) || target.closest(layers)) return;
    // Rows may go long after the dialog, when the list is read again.
    if (target !== opener) isReturning = false;
    opener = target;
    const row = target.closest('li, tr');
    neighbors = [row?.nextElementSibling ?? null, row?.previousElementSibling ?? null];
  };
  const observer = new MutationObserver(() => {
    const wasOpen = isOpen;
    isOpen = document.querySelector(layers) !== null;
    if (wasOpen && !isOpen) isReturning = true;
    if (isOpen || !isReturning || !isFocusLost()) return;
    if (opener?.isConnected && !wasOpen) return; // the person left it
    const found = neighbors.find((row) => row?.isConnected);
    if (take(opener) || take(found?.querySelector<HTMLElement>(controls))) return;
    const heading = document.querySelector<HTMLElement>('main h1');
    heading?.setAttribute('tabindex', '-1');
    take(heading);
  });
  document.addEventListener('focusin', remember);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', remember);
    observer.disconnect();
  };
}
