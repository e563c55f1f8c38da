import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef, MouseEvent } from 'react';
import { isPlainClick, useNavigation } from '../lib/navigation.ts';

type LinkProps = { href: string; replace?: boolean } & Omit<ComponentPropsWithoutRef<'a'>, 'href'>;

/** A link within the dashboard: a plain click navigates without a full page load. */
export function PlainLink({ href, replace = false, onClick, ...props }: LinkProps) {
  const { go, hrefOf } = useNavigation();
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.defaultPrevented || !isPlainClick(event)) return;
    event.preventDefault();
    go(href, { replace });
  };
  return <a href={hrefOf(href)} onClick={follow} {...props} />;
}

/** Has the size of the text around it, unless it is given one. */
export function AppLink(props: AnchorProps & LinkProps) {
  return <Anchor component={PlainLink} inherit={props.size === undefined} {...props} />;
}

export function LinkButton(props: ButtonProps & LinkProps) {
  return <Button component={PlainLink} {...props} />;
}
