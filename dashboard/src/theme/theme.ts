import { t } from '@lingui/core/macro';
import {
  createTheme,
  type DrawerProps,
  type MenuProps,
  type ModalProps,
  type MultiSelectProps,
  type PasswordInputProps,
  type SelectProps,
  type TooltipProps,
} from '@mantine/core';
import { look, titleFont } from './look.ts';

/** The list itself scrolls: a scroll area around its options would have to take the focus. */
const scrollingOptions = {
  withScrollArea: false,
  styles: { options: { maxHeight: '13.75rem', overflowY: 'auto' } },
} as const;

export const theme = createTheme({
  ...look,
  // Plain objects: `Modal.extend` would load dialogs and tooltips with every page.
  components: {
    InputWrapper: { styles: { label: { marginBottom: 4 } } },
    Modal: {
      styles: {
        title: { fontFamily: titleFont, fontWeight: 600, fontSize: '1.0625rem' },
        content: { background: 'var(--gb-surface)' },
        header: { background: 'var(--gb-surface)' },
      },
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        closeButtonProps: { 'aria-label': t`Close` },
      } satisfies Partial<ModalProps>,
    },
    // A dialog's header is not a banner of the page.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    DrawerHeader: { defaultProps: { role: 'presentation' } },
    Drawer: { defaultProps: { closeButtonProps: { 'aria-label': t`Close menu` } } satisfies Partial<DrawerProps> },
    PasswordInput: {
      defaultProps: {
        visibilityToggleButtonProps: { 'aria-label': t`Toggle password visibility` },
      } satisfies Partial<PasswordInputProps>,
    },
    // The first item takes the focus instead of an empty element, which is not an item of a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } satisfies Partial<MenuProps> },
    Select: { defaultProps: scrollingOptions satisfies Partial<SelectProps> },
    MultiSelect: { defaultProps: scrollingOptions satisfies Partial<MultiSelectProps> },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true } satisfies Partial<TooltipProps> },
  },
});
