/** Names in Japanese text, which has no spaces between words and no capital letters. Common surnames tell where a name begins. */
import { introduced, valueAtEnd } from "./rule.ts";
import type { DetectionRule, Span } from "./rule.ts";

const SURNAME =
  "佐藤|鈴木|高橋|田中|伊藤|渡[辺邊邉部]|山[本田口崎下内中川村上根]|中[村島野川山田西谷尾]|小[林川島野池山西泉沢倉松原]|加藤|吉[田川村岡野]|佐々木|松[本田井尾岡下村浦永]|井上|木[村下]|林|斎藤|斉藤|齋藤|清水|阿部|安部|森(?:田|本|山|川|下)?|池[田上]|橋本|石[川井田原塚橋]|前[田川]|藤[田原井本岡川沢]|後藤|岡(?:田|本|崎|村)?|長谷川|長[田野井尾]|近藤|村[上田井山]|遠藤|青[木山]|坂[本井口田]|福[田島井岡本]|太田|大[野塚西谷田川島橋場森石]|西(?:村|田|川|山|尾|野)|三[浦宅上木]|岩[崎田本井瀬]|金[子田井]|原(?:田)?|和田|中原|竹[内田中村本]|上[田野原村]|宮[崎本田川下]|内田|酒井|工藤|横[山田井]|柴田|谷(?:口|川)?|高[木田野山島井村]|安[藤田達]|丸山|今[井村]|河[野合村]|武[田井]|増田|杉[山本浦]|平[野田井山]|千葉|久保(?:田)?|桜井|櫻井|野[口村田崎中]|新井|菊[地池]|菅(?:原|野)?|荒[木井川]|水[野谷口]|古[川田賀]|島(?:田|崎|村)?|本[田間多]|早川|樋口|星(?:野)?|秋[山元田]|服部|吉[本沢]|市川|北[村川]|土[屋井]|田[村口島辺]|永[井田]|川[崎口上村島田]|関(?:口|根)?|辻|浅[野井]|堀(?:内|江)?|望月|黒[田木川]|須[田藤]|佐[野々久間][間木田]?|佐野|南|東|片[山岡]|飯[田塚]|尾[崎形]|矢[野島]|桑原|成田|熊[谷田]|沢田|澤田|白[石井]|五十嵐|相[馬川]|広瀬|児玉|落合|内[藤山]|荻野|榎本|梅[田本津]|江[口藤]|遠山|笠原|神[田谷]|岸(?:本|田)?|栗原|小田|塩[田谷]|篠[原田]|関谷|園田|滝[沢川]|瀧|津田|寺[田島]|徳[永田]|戸田|富[田永]|根本|野沢|萩原|馬場|浜[田口]|濱田|日高|細[川田]|町田|松原|宮[内原沢]|向井|八木|安井|柳[田沢]|湯浅|吉原|若[林松]|渡部";
const GIVEN = String.raw`(?:[ 　]?[\p{Script=Han}ー]{1,3}|[ 　]?(?!です|でご|でお|では|とい|と申|さん|さま|くん|ちゃ|から|より|まで|って|だけ|には|にも|への|との)\p{Script=Hiragana}{2,4}?|[ 　]?[\p{Script=Katakana}ー]{2,6})`;
const KANA_NAME = String.raw`[\p{Script=Katakana}ー]{1,10}(?:[・=＝ 　][\p{Script=Katakana}ー]{1,12}){1,3}`;
/** What follows a name: a copula, an honorific, a particle with a verb of naming, or an end. */
const AFTER_NAME = String.raw`(?=(?:です|でござ|と申|ともうし|といい|と言い|と呼|様|さま|さん|くん|君|ちゃん|氏|殿|の名(?:義|前)|名義|の代[わ理]|の(?:母|父|妻|夫|娘|息子)|宛|あて|で(?:取|予約|登録|お願い)|が(?:予約|注文)|、|，|。|」|\)|）|\s*(?:\n|$)))`;
const BEFORE_NAME = String.raw`(?<![\p{Script=Han}\p{Script=Katakana}ー々])`;

/** A whole name by its surname, before what follows names. */
const BY_SURNAME = new RegExp(
  `${BEFORE_NAME}(?:(?:${SURNAME})${GIVEN}?|${KANA_NAME})(?:(?=[ 　]?[様殿])|${AFTER_NAME})`,
  "gu",
);
const IS_FOLLOWED =
  /^(?:です|でござ|と申|ともうし|といい|と言い|と呼|[ 　]?(?:様|さま|殿|氏)|さん|の名(?:義|前)|名義|の代|宛|あて|で(?:取|予約))/u;
const HAS_GIVEN = new RegExp(`^(?:(?:${SURNAME})${GIVEN}|${KANA_NAME})$`, "u");

const ANY = String.raw`[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー・々]`;
const INTRODUCED_NAME = new RegExp(
  String.raw`^(?<value>${ANY}{1,8}?[ 　]?(?:(?!です|でお|とい|と申|は|で|が|に|を)${ANY}){0,6})(?=です|でござ|で(?:登録|予約|お願)|と申|とい|と呼|でお|は|に変|に訂|、|。|"|」|\n|$|様|さん|\)|）)`,
  "u",
);
const NO_NAME =
  /登録|必須|不明|未|変更|確認|同じ|間違|リスト|何|誰|入力|旧姓|記入|表示|本名|会社|注文|予約|以下|漢字|カタカナ|ローマ字|学生|会員|アレルギー|日本|東京|大阪|京都|外国|初心者|主婦|妊娠|ベジタリアン|客|者$|人$|セット|商品|ここ|これ|それ|どれ|なん|いつ|どこ|希望|大丈夫|問題|便$|店$|社$|犬|猫|好き|ない|ます|した|^.曜|文字|カード|アプリ/u;
/** Names of things. */
const OF_THING =
  /(?:商品|製品|会社|店|ファイル|ペット|犬|猫|ブランド|作品|曲|映画|ユーザー|アカウント|ホテル|部署|学校|猫ちゃん|うさぎ|ハムスター|インコ)(?:の(?:お|ご)?)?$/u;

const name = (rest: string): Span | null => {
  const found = valueAtEnd(INTRODUCED_NAME, rest);
  return found === null || NO_NAME.test(rest.slice(...found)) ? null : found;
};

export const JAPANESE_NAME_RULES: readonly DetectionRule[] = [
  {
    type: "NAME",
    pattern:
      /(?:(?:フルネーム|お?名前|氏名|名義人?|宛名|受取人|フリガナ|ふりがな|患者名?|署名欄?|担当者?|契約者|会員名|予約者?名?|差出人|注文者|申込者|代表者|ご?本人|苗字|名字|姓|利用者|宿泊者|搭乗者|乗客|保護者|緊急連絡先)(?:名|氏名)?["」]?(?:[はがもをに]|\s?[:：]|[ 　\n])|担当の|(?<!\p{Script=Han})(?:私は|私、|わたしは|わたくし|僕は|俺は|こちらは?|(?:み(?:ん)?な|友達|皆)(?:から|には?))|(?:母|父|妻|夫|娘|息子|兄|弟|姉|妹|祖母|祖父|友人|同僚|上司|主人|家内|彼女|彼氏|子供|旦那)の(?!名前|代))[\s"「]{0,2}/gu,
    locate: (text, { 0: match, index }) => {
      if (OF_THING.test(text.slice(Math.max(0, index - 8), index))) return null;
      const start = index + match.length;
      const found = name(text.slice(start, start + 40));
      return found && [start + found[0], start + found[1]];
    },
  },
  introduced(
    "NAME",
    /(?<![\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー・])(?=[\p{Script=Han}\p{Script=Katakana}ー・]{2,6}[ 　]?[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー・]{0,6}と(?:申し|いいま|言いま|もうし))/u,
    (rest) => valueAtEnd(/^(?<value>[^と\n]{2,13})(?=と)/u, rest),
  ),
  {
    type: "NAME",
    pattern: BY_SURNAME,
    locate: (text, { 0: match, index }) => {
      const end = index + match.length;
      const isWhole = HAS_GIVEN.test(match) && match.length > 2 && !NO_NAME.test(match);
      const isSaid = IS_FOLLOWED.test(text.slice(end, end + 6)) && !NO_NAME.test(match);
      const isLine =
        /(?:^|\n)\s{0,3}$/u.test(text.slice(0, index)) && /^\s*(?:\n|$|、)/u.test(text.slice(end));
      return isSaid || (isWhole && isLine) ? [index, end] : null;
    },
  },
];
