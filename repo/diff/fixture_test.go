package diff

import (
	"math/rand/v2"
	"strings"
)

// Words of the generated prose. The texts make no sense, but their lengths, repetitions and marks are those of a serial.
var (
	fixtureWho   = strings.Fields("林晚 沈砚 周队长 老掌柜 那个少年 守灯人 她 他 众人 邻家的孩子 卖花的女人 信使")
	fixtureWhen  = strings.Fields("天刚亮 雨停之后 第三天夜里 钟声响过两遍 灯灭的一瞬间 整座城睡下以后 临近年关 渡船靠岸时 谁也没有留意的当口 茶凉透了")
	fixtureDo    = strings.Fields("推开了那扇旧木门 把信折好塞进袖口 沿着河堤慢慢往回走 望着窗外一言不发 点燃了最后一盏灯 在账本上添了一行小字 听见楼上传来脚步声 想起多年前的那场大火 摸到了钥匙上的刻痕 数清楚了台阶的级数 忽然觉得后背发凉 从箱底翻出一件旧衣")
	fixtureAfter = strings.Fields("雨水顺着屋檐滴下来 风里有一股烧焦的味道 街上空无一人 谁都没有先开口 远处传来几声犬吠 墨迹还没有干透 桌上的棋局下到一半 影子被拉得很长 门轴发出一声轻响 河面上浮着一层薄雾")
	fixtureSay   = strings.Fields("你终于来了 别回头 这不是他的字迹 我记得那天没有下雨 钥匙在谁手里 灯为什么会灭 明天一早就走 我不信 再等等 他说的是真的吗")
)

// novel makes a chapter of paragraphs of about 300 characters.
func novel(seed, paragraphs int) string {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	pick := func(words []string) string { return words[r.IntN(len(words))] }
	var b strings.Builder
	for range paragraphs {
		b.WriteString("\u3000\u3000")
		for n := 0; n < 280; {
			var s string
			switch r.IntN(5) {
			case 0:
				s = "“" + pick(fixtureSay) + "。”" + pick(fixtureWho) + "说。"
			case 1:
				s = pick(fixtureAfter) + "，" + pick(fixtureAfter) + "。"
			default:
				s = pick(fixtureWhen) + "，" + pick(fixtureWho) + pick(fixtureDo) + "，" + pick(fixtureAfter) + "。"
			}
			b.WriteString(s)
			n += len([]rune(s))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// scatter makes edits at random places: a character replaced, inserted or deleted, line ends left alone.
func scatter(text string, seed, edits int) string {
	r := rand.New(rand.NewPCG(uint64(seed), 11))
	pool := []rune("的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从")
	runes := []rune(text)
	for range edits {
		if len(runes) == 0 {
			break
		}
		i := r.IntN(len(runes))
		if runes[i] == '\n' || runes[i] == '\r' {
			continue
		}
		c := pool[r.IntN(len(pool))]
		switch r.IntN(3) {
		case 0:
			runes[i] = c
		case 1:
			runes = append(runes[:i], append([]rune{c}, runes[i:]...)...)
		default:
			runes = append(runes[:i], runes[i+1:]...)
		}
	}
	return string(runes)
}
