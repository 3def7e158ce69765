/**
 * Common given names and short forms of the eleven languages, in lower case, without diacritics that people leave out.
 * They tell a name in lower case from another word after "I'm" and the like. They are no list to search texts for.
 */
const GIVEN_NAMES = new Set(
  // English
  (
    "aaron abigail adam aidan alex alice amanda amber amy andrea andrew andy angela ann anna anne anthony ashley austin beatrice becky ben beth " +
    "billy bob brandon brenda brian caitlin callum carl caroline charlie charlotte chloe chris christine claire connor craig daisy dan daniel danny " +
    "dave david dean debbie deborah diana donna dorothy dylan eddie edward eleanor elizabeth ella ellie emily emma eric ethan eva evelyn fiona frank " +
    "freya gareth gary gemma george georgia gina grace graham greg hannah harriet harry hazel heather heidi helen henry holly ian imogen isaac isabel " +
    "isla ivy jack jackie jacob jake james jamie jane janet jason jasmine jean jeff jen jenna jenny jeremy jess jessica jill jim jo joan joanna joe john " +
    "jon jonathan jordan joseph josh joshua joyce judy julia julie justin karen kate katie keisha keith kelly ken kerry kevin kim kyle laura lauren leah " +
    "lee leo leon lewis liam lily linda lisa liz logan louise lucas lucy luke lydia maddie maggie marcus margaret maria marie mark martha martin mary " +
    "mason matt matthew maya megan mel melissa mia michael michelle mike millie molly monica nadia naomi natalie natasha nathan neil niamh nick nicola " +
    "nina noah nora oliver olivia oscar owen pam patricia patrick paul paula penny peter phil philip poppy priya priyanka rachel ravi rebecca rhys " +
    "richard rob robert robin ron rory rosie ross ruby russell ruth ryan sally sam samantha sarah scott sean shane sharon shaun simon siobhan sofia " +
    "sophia sophie stacey stella stephanie stephen steve stuart sue susan suzanne tara taylor ted terry tess thomas tim tina toby tom tommy tony tracy " +
    "trevor tyler vanessa vicky victoria wayne wendy will william yasmin zoe " +
    // German, Dutch and Swedish
    "alexander andreas anja anke annika antje bastian bernd bettina birgit birte christoph claudia daniela dieter dirk doris elke erika felix finn florian " +
    "franz franziska friederike fritz gabi gerd gisela günter hans hannes heike heiko heinz helga hendrik holger horst ines ingrid jana jens joachim johanna johannes " +
    "jonas jürgen jutta kai karin karl karsten katharina katja katrin kathrin kerstin klaus lars lena leonie lotte ludwig lukas lutz maike manfred manuela marco " +
    "marion markus matthias maximilian moritz monika nadine nele nicole niklas nils norbert olaf petra philipp rainer ralf renate rolf sabine sandra " +
    "sebastian silke sonja stefan stefanie steffen steffi susanne sven svenja tanja theo thorsten torsten tobias udo ulrike ursula ute uwe wolfgang " +
    "anouk bas bram bart cees daan dennis dirk eline esther evert femke fleur floor frits geert gerrit guus hanneke henk ilse inge jaap jan jasper jeroen jesse " +
    "joost joris joep kees koen lieke lotte maarten maaike marieke marijke marloes mees menno mieke milan niels noor pieter pim roos ruben ruud sander sanne " +
    "sem sjoerd sophie stijn teun thijs tijn tjeerd truus wim wout wouter yvonne " +
    "agneta alva anders anneli astrid axel barbro birgitta bjorn björn bo camilla cecilia ebba elin elsa emil erik eva filip fredrik frida göran " +
    "gunilla gunnar gustav hampus håkan henrik hugo ida inger ingrid jesper johan josefin kajsa karin kerstin kicki klara kristina lasse leif lennart " +
    "lina linnea linus magnus maja malin märta mats mattias mikael mona nisse olle olof oskar pelle per pernilla pontus rasmus rickard samira sara sigrid siv " +
    "stig sture susanne svante tage tilda tove ulf ulla viktor vilma åke åsa örjan östen " +
    // French, Spanish, Italian and Portuguese
    "adèle adrien agathe alain alexandre alexis alice amélie anaïs antoine arnaud arthur audrey aurélie aurélien bastien baptiste benoît bernard brigitte camille caroline catherine " +
    "cécile céline chantal clara clément clémence corinne damien delphine denis didier dominique élise élodie émilie émile estelle étienne fabien fabrice florence françois françoise " +
    "gabriel gaspard geneviève georges gérard gilles guillaume hélène hugo isabelle jacques jeanne jérôme joël julien juliette karim laurence laurent léa lilou loïc louis lucie " +
    "ludovic maëlle manon marc margaux marion mathieu mathilde mathis maxime mélanie mohamed morgane nathalie nicolas noémie océane olivier pascal patrice philippe pierre quentin raphaël " +
    "rémi renaud romain sandrine sébastien solène stéphane sylvie théo thibault thierry thomas valérie véronique vincent virginie xavier yann yves zoé " +
    "adrián agustín aitana alba alberto alejandra alejandro alfonso álvaro amparo ana andrés ángel antonio ariadna beatriz begoña blanca carla carlos carmen carolina " +
    "concha cristina diego eduardo elena emilio enrique esteban fátima fernanda fernando francisco gonzalo guadalupe guillermo héctor ignacio inés íñigo irene " +
    "isabel iván javier jesús jimena joaquín jorge josé juan julio laura leticia lola lorena lourdes lucía luis luisa manolo manuel mar marcos margarita maría mario marta " +
    "mateo mercedes miguel montse nacho natalia nerea nicolás nuria óscar pablo paco paloma patricia pedro pepe pilar rafa rafael ramón raquel raúl ricardo rocío rodrigo rosa rosario " +
    "rubén santiago sara sergio silvia sofía susana teresa tomás vero verónica vicente víctor ximena yolanda " +
    "alessandra alessandro alessia alessio andrea angela angelo anna antonella antonio arianna barbara bea beatrice benedetta bruno camilla carlo caterina chiara cinzia claudio cristiano " +
    "dario davide debora domenico donatella edoardo elena eleonora elisa emanuele enrico ettore fabio federica federico filippo flavia francesca francesco gabriele gennaro gianluca giacomo " +
    "giancarlo gianni gigi giorgia giorgio giovanna giovanni giulia giuliano giulio giuseppe greta ilaria ivan jacopo laura lorenzo luca lucia luciana luigi manuela marco mario marta martina " +
    "massimo matteo mattia maurizio michela michele mirko nicola noemi paola paolo pasquale pietro renato riccardo roberta roberto rosa salvatore sara serena sergio silvia simona simone stefania " +
    "stefano tommaso ugo umberto valentina valeria vincenzo viola vittoria " +
    "afonso alexandra aline amanda anderson antónio armando bárbara beatriz bernardo bia bianca bruna bruno caio camila carla carlos cátia catarina cláudia cristiano daniela débora " +
    "diana diogo duarte duda eduarda eduardo fábio fabiana felipe fernanda filipa flávia francisca gabriela gabriel gonçalo guilherme gustavo helena heitor henrique hugo igor inês isabela joana joão " +
    "jorge josé juliana larissa leandro leonor letícia lígia lucas luciana luís luiz luiza mafalda manuela marcelo márcia márcio mariana marta mateus matilde miguel mónica mônica murilo natália nuno otávio " +
    "patrícia paulo pedro rafael rafaela raquel renata ricardo rita roberta rodrigo rosa rui sandra sílvia simone sofia sônia tatiana telma teresa thaís thiago tiago tomás valéria vanessa vera vinícius vítor " +
    // Polish and Turkish
    "adam agata agnieszka aleksandra ala ania anna antek basia bartek bartosz beata bogdan bożena damian danuta darek dawid dominika dorota ela elżbieta ewa filip franek gosia grażyna grzegorz hania " +
    "halina hanna henryk irena iwona iza izabela jacek jakub janusz jarek joanna jola jolanta julia kacper kamil karol karolina kasia katarzyna kazimierz kinga krystyna krzysiek krzysztof kuba leszek " +
    "łukasz maciej magda magdalena małgorzata marcin marek mariusz marta marysia mateusz michał mikołaj mirek monika natalia ola olek patryk paulina paweł piotr piotrek przemek radek rafał renata robert " +
    "ryszard sebastian sławek stanisław szymon tadeusz tomasz tomek urszula weronika wiesław wiktoria witold wojciech wojtek zbigniew zofia zosia zuzanna " +
    "ahmet ali alper arda aslı aylin ayşe ayse bahar barış berk berkay betül bora buket burak burcu büşra cem cemal cemre ceren cihan damla deniz derya didem dilara duygu ebru ece eda efe elif emine emir emre ender " +
    "erdem eren erhan erkan esra fatih fatma furkan gamze gizem gökhan gözde gül gülay gülşen hakan halil hande hasan hatice hüseyin ibrahim ilker irem ismail kaan kadir kemal kerem koray leyla mehmet melek meltem " +
    "merve mert murat mustafa naz nazlı nermin nesrin nihat nur nurten okan onur orhan osman ozan ömer özge özgür pelin pınar ramazan selim selin sema semih serdar serkan sevgi seyma sibel sinan sinem şule tarık tolga " +
    "tuba tuğba tülay ufuk uğur umut volkan yasemin yasin yusuf zehra zeynep"
  ).split(" "),
);

/** Given names that are also words: only a capital letter tells them. */
const ALSO_WORDS = new Set(
  "alex will mark mar sol rosa alba viola noor roos floor per bo mona bas sem mees can deniz duygu umut barış sevgi nur naz melek bahar arda efe gül ufuk onur ala ola ben dan may grace joy hazel heather ivy daisy rob rich bob jack mia mio".split(
    " ",
  ),
);

/** Whether a word is a common given name that can be told from other words in lower case. */
export const isGivenName = (word: string): boolean => {
  const lower = word.toLowerCase();
  return GIVEN_NAMES.has(lower) && !ALSO_WORDS.has(lower);
};
