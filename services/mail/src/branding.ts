import type { ProjectBranding } from '@gatebook/domain/project/config';
import { contrast, light } from './colors.ts';
import type { EmailBlock, EmailContent } from './content.ts';

export type Branding = Pick<ProjectBranding, 'logoUrl' | 'darkLogoUrl' | 'accentColor'>;

/**
 * An email with the logo and the color of its project. What an owner chose for the template stays: an image at the top,
 * and the colors of buttons.
 */
export function withBranding(
  content: EmailContent,
  { logoUrl, accentColor }: Omit<Branding, 'darkLogoUrl'>,
): EmailContent {
  const colored = accentColor === null ? content : withAccent(content, accentColor);
  return logoUrl === null ? colored : withLogo(colored, logoUrl);
}

export const logoId = 'project-logo';

function withLogo(content: EmailContent, url: string): EmailContent {
  const { root } = content;
  if (root?.type !== 'EmailLayout') return content;
  const ids = root.data.childrenIds ?? [];
  if (content[ids[0] ?? '']?.type === 'Image') return content;
  const logo: EmailBlock = {
    type: 'Image',
    data: {
      props: { url, alt: '{{ projectDisplayName }}', height: 40 },
      style: { padding: { top: 28, bottom: 0, left: 32, right: 32 }, textAlign: 'left' },
    },
  };
  return { ...content, root: { ...root, data: { ...root.data, childrenIds: [logoId, ...ids] } }, [logoId]: logo };
}

function withAccent(content: EmailContent, color: string): EmailContent {
  const text = readableOn(color);
  const entries = Object.entries(content).map(([id, block]): [string, EmailBlock] => {
    if (block.type !== 'Button') return [id, block];
    const { props } = block.data;
    if ((props?.buttonBackgroundColor ?? light.link).toLowerCase() !== light.link) return [id, block];
    const colors = { buttonBackgroundColor: color, buttonTextColor: text };
    return [id, { ...block, data: { ...block.data, props: { ...props, ...colors } } }];
  });
  return Object.fromEntries(entries);
}

const readableOn = (color: string) =>
  contrast('#ffffff', color) >= contrast(light.ink, color) ? '#ffffff' : light.ink;
