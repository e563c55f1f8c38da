import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';

export type MenuItem = {
  id: string;
  label: ReactNode;
  icon?: ReactNode;
  /** Given for items of which one is chosen. */
  isChecked?: boolean;
  onSelect: () => void;
};
type MenuProps = {
  /** Accessible name of the button and the menu. */
  label: string;
  /** Content of the button. */
  trigger: ReactNode;
  triggerClassName?: string | undefined;
  isBusy?: boolean;
  /** Shown above the items. */
  header?: ReactNode;
  items: readonly MenuItem[];
};

/** A menu button (ARIA Authoring Practices): arrow keys, Home, End and Escape. */
export function Menu({ label, trigger, triggerClassName = '', isBusy = false, header, items }: MenuProps) {
  const id = useId();
  const [openAt, setOpenAt] = useState<'first' | 'last' | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (openAt === null) return;
    itemsIn(root.current)
      .at(openAt === 'first' ? 0 : -1)
      ?.focus();
    const closeOutside = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) setOpenAt(null);
    };
    for (const name of ['pointerdown', 'focusin']) document.addEventListener(name, closeOutside);
    return () => {
      for (const name of ['pointerdown', 'focusin']) document.removeEventListener(name, closeOutside);
    };
  }, [openAt]);
  const close = () => {
    setOpenAt(null);
    button.current?.focus();
  };
  const openByKey = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    setOpenAt(event.key === 'ArrowDown' ? 'first' : 'last');
  };
  const move = (event: KeyboardEvent) => {
    const all = itemsIn(root.current);
    const index = all.findIndex((item) => item.matches(':focus'));
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: (index + 1) % all.length,
      ArrowUp: index <= 0 ? -1 : index - 1,
      Home: 0,
      End: -1,
    };
    const next = moves[event.key];
    if (next === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    if (next === undefined) close();
    else all.at(next)?.focus();
  };
  return (
    <div className="gbh-menu" ref={root}>
      <button
        ref={button}
        type="button"
        className={`gbh-menu-button ${triggerClassName}`.trim()}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={openAt !== null}
        aria-controls={openAt === null ? undefined : id}
        aria-busy={isBusy}
        onClick={() => (openAt === null ? setOpenAt('first') : close())}
        onKeyDown={openByKey}
      >
        {trigger}
      </button>
      {openAt !== null && (
        <div className="gbh-menu-popup">
          {header && <div className="gbh-menu-header">{header}</div>}
          {items.length > 0 && (
            <div role="menu" id={id} aria-label={label} tabIndex={-1} onKeyDown={move}>
              {items.map((item) => (
                <Item key={item.id} {...item} onClose={close} />
              ))}
            </div>
          )}
        </div>
      )}
    </div>
  );
}

const itemsIn = (element: HTMLElement | null): HTMLElement[] => [
  ...(element?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? []),
];

function Item({ label, icon, isChecked, onSelect, onClose }: MenuItem & { onClose: () => void }) {
  const select = () => {
    onClose();
    onSelect();
  };
  const content = (
    <>
      {icon}
      <span>{label}</span>
    </>
  );
  if (isChecked === undefined) {
    return (
      <button type="button" role="menuitem" tabIndex={-1} onClick={select}>
        {content}
      </button>
    );
  }
  return (
    <button type="button" role="menuitemradio" aria-checked={isChecked} tabIndex={-1} onClick={select}>
      {content}
    </button>
  );
}
