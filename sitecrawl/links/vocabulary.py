"""Words that sites use in class names, URLs and anchor texts. Data only: conventional words, none special to one site."""

from __future__ import annotations

CLASS_WORDS: dict[str, str] = {
    "nav": "nav navbar navigation navi menu menus topbar topnav toolbar submenu mainmenu dropdown daohang dh tabs tab",
    "crumb": "breadcrumb breadcrumbs crumb crumbs weizhi position location path here",
    "head": "header head masthead banner logo brand top hd site branding",
    "foot": "footer foot copyright bottom ft colophon footbar",
    "side": "sidebar side aside widget widgets secondary rightbar leftbar sidenav right left drawer offcanvas",
    "pager": "page pages pager paging pagination paginator pagenavi pagenav pagebar paginate fenye pagelist older newer "
    "next prev previous",
    "tags": "tag tags tagcloud label labels category categories cat cats topics keywords cloud taxonomy terms",
    "meta": "meta info byline author authors date time posted published publish infos tail details",
    "comment": "comment comments reply replies respond disqus leancloud responses",
    "share": "share social follow sns contact icons icon",
    "related": "related recommend recommended popular hot rank ranking recent latest hottest trending featured paihang "
    "tuijian remen similar",
    "main": "main content contents primary posts list archive articles news body center middle wrapper lists listing "
    "feed stream blog",
    "entry": "entry article post story item teaser card media hentry excerpt summary node topic thread row box",
    "title": "title headline heading subject name tit biaoti hd",
    "more": "more readmore continue",
    "friend": "friend friends friendlink blogroll links partner partners link flink youqing sponsors sponsor",
    "user": "search login user account register member profile avatar",
    "date": "calendar timeline month year monthly archives yearly",
    "toc": "toc catalog catalogue outline anchor index",
    "pic": "pic picture image images img thumb thumbnail thumbnails photo cover slide slider swiper carousel focus",
    "language": "lang language languages locale translations",
    "skip": "skip hidden sr screen",
}
"""Words in class and id attributes that name each region."""

TAG_REGIONS: dict[str, str] = {
    "nav": "nav",
    "header": "head",
    "footer": "foot",
    "aside": "side",
    "main": "main",
    "article": "entry",
    "menu": "nav",
}
"""Region that an HTML element represents."""

URL_WORDS: dict[str, str] = {
    "u_section": "tag tags category categories categoria categorias categorie categories cat archive archives archivos "
    "topics section sections rubrik rubrique kategorie kategorien thema themen label labels channel column columns "
    "series list lists listing all date index lanmu fenlei taxonomy type kategoria rovat cimke szerzo",
    "u_page": "page pages pg seite pagina paged start offset oldal stranica strana",
    "u_article": "article articles post posts story stories news blog entry p archives item detail details content view "
    "read show info art note notes report artikel noticia noticias actualite cikk hir hirek node doc essay",
    "u_forum": "forum forums board boards viewforum forumdisplay bbs community club",
    "u_thread": "thread threads viewtopic showthread topic t discussion",
    "u_author": "author authors user users profile member members people team szerzok redaktion",
    "u_fixed": "about contact login register signup signin search privacy terms policy imprint impressum help faq sitemap "
    "advertise subscribe cart account admin legal disclaimer cookies donate kontakt links link guestbook "
    "wp-login wp-admin archive-search share download downloads keyword keywords feedback aboutus contactus lxwm gywm lianxi "
    "guanyu liuyan",
    "u_feed": "feed feeds rss atom xml rdf",
    "u_media": "video videos photo photos gallery galleries podcast podcasts images image uploads upload files assets media",
    "u_attachment": "attachment attachments attachment_id img dsc dscn dscf",
    "u_product": "product products shop store game games soft app apps software",
    "u_comment": "comment comments reply respond replytocom trackback",
}
"""Words of a URL's path or query that indicate each kind of page."""

TEXT_WORDS: dict[str, str] = {
    "t_more": "more|read more|readmore|continue reading|continue|full story|read on|learn more|see more|details|view|read|"
    "view post|permalink|keep reading|weiterlesen|mehr|mehr lesen|lire la suite|lire plus|en savoir plus|suite|leer más|"
    "seguir leyendo|más|leia mais|continue lendo|ler mais|leggi tutto|continua a leggere|continua|lees meer|lees verder|"
    "читать далее|далее|подробнее|читать|tovább|részletek|bővebben|阅读全文|继续阅读|更多|查看更多|了解更多|查看全文|"
    "阅读更多|全文|详情|查看详情|详细|more>>|続きを読む|もっと見る|詳細|더보기|더 보기|czytaj więcej|číst dále|permalänk|læs mere|"
    "read full article|read the full story|read story|read article",
    "t_next": "next|next page|older|older posts|older entries|older stories|vorwärts|nächste|nächste seite|weiter|suivant|"
    "page suivante|articles précédents|siguiente|entradas antiguas|entradas anteriores|próxima|próximo|mais antigos|successivo|"
    "successiva|avanti|volgende|oudere berichten|следующая|вперед|вперёд|következő|下一页|下页|后一页|后页|次へ|次のページ|次|다음|next»|"
    "ältere beiträge|load more|show more|加载更多|もっと読む|post più vecchi|articoli meno recenti|older articles|next posts|"
    "末页|尾页|last|last page|最后一页|最後|letzte|dernière|última|ultima|laatste|последняя|utolsó",
    "t_prev": "prev|previous|previous page|newer|newer posts|newer entries|zurück|vorherige|précédent|page précédente|anterior|"
    "entradas más recientes|mais recentes|precedente|vorige|nieuwere berichten|предыдущая|назад|előző|上一页|上页|前一页|前页|前へ|前|"
    "이전|neuere beiträge|previous posts|首页|first|first page|第一页|erste|première|primera|prima|eerste|первая|első|最初",
    "t_home": "home|homepage|startseite|start|accueil|inicio|início|home page|главная|kezdőlap|首页|主页|网站首页|ホーム|トップ|홈|"
    "strona główna|domů|main|index|front page|címlap|board index",
    "t_comment": "comments|comment|leave a comment|no comments|add comment|reply|replies|kommentare|kommentar|commentaires|"
    "commentaire|aucun commentaire|laisser un commentaire|comentarios|comentario|comentários|comentário|sin comentarios|commenti|commento|nessun commento|"
    "reacties|reactie|комментарии|комментариев|комментарий|нет комментариев|hozzászólás|hozzászólások|评论|条评论|暂无评论|没有评论|"
    "发表评论|回复|留言|コメント|コメントする|댓글|responses|response|respond|add new comment|trackbacks|trackback",
    "t_fixed": "about|about us|contact|contact us|login|log in|sign in|sign up|register|search|privacy|privacy policy|terms|"
    "terms of use|terms of service|imprint|impressum|datenschutz|kontakt|über uns|mentions légales|à propos|acerca de|contacto|"
    "aviso legal|política de privacidad|sobre|contato|chi siamo|contatti|over ons|inloggen|о нас|контакты|войти|impresszum|"
    "kapcsolat|rólunk|adatvédelem|médiaajánlat|关于|关于我们|关于我|联系我们|联系方式|联系|登录|注册|搜索|友情链接|友链|网站地图|设为首页|加入收藏|"
    "隐私政策|免责声明|版权声明|about me|概要|お問い合わせ|ログイン|会社概要|プライバシーポリシー|소개|로그인|rss|sitemap|faq|help|"
    "donate|subscribe|newsletter|advertise|facebook|twitter|github|instagram|youtube|weibo|email|e-mail|linkedin|wordpress|hexo|"
    "hugo|jekyll|copyright|cookie policy|disclaimer|links|guestbook|留言板|print|share|download|下载|tweet|e-mail this",
    "t_listing": "archives|archive|categories|category|tags|tag|all|all posts|archiv|kategorien|catégories|categorías|categorias|"
    "blog|blogs|weblog|博客|部落格|ブログ|블로그|блог|блоги|وبلاگ|بلاگ|مدونة|المدونة|בלוג|บล็อก|ιστολόγιο|blogue|blogi|news|articles|posts|nachrichten|aktuelles|actualités|noticias|notícias|notizie|nieuws|новости|hírek|archívum|rovatok|"
    "归档|分类|标签|文章|博客|新闻|资讯|动态|公告|通知|カテゴリー|タグ|アーカイブ|ブログ|ニュース|お知らせ|카테고리|태그|videos|photos|events|"
    "forum|forums|podcast|podcasts|topics|series|专题|专栏|新闻中心|通知公告",
}
"""Kind of anchor text, compared in lower case with counts, arrows and outer punctuation removed."""

TEXT_ENDINGS: dict[str, str] = {
    "t_fixed": "概况 简介 简况 介绍 领导 须知 章程 沿革 历程 校历 电话 地址 地图 登录 注册 系统 平台 缴费 邮箱 信箱 理念 寄语 致辞 资质 条款 声明 "
    "概況 簡介 介紹 紹介 案内 規約 方針 소개 안내 약관 문의 인사말",
    "t_listing": "动态 新闻 要闻 快讯 资讯 消息 公告 通知 公示 通告 信息 简报 头条 时讯 报道 聚焦 关注 专题 专栏 专区 法规 政策 文件 规划 解读 活动 风采 园地 天地 "
    "论坛 评论 观点 视点 热点 案例 知识 技术 研究 展会 工作 项目 计划 资料 数据 建设 交流 動態 新聞 訊息 一覧 情報 日記 記事 목록 소식 공지",
}
"""Kind of a short East Asian anchor text by its last two characters: what navigation of such sites calls fixed pages and listings."""

SEARCH_KEYS = frozenset("s q wd kw keyword keywords query search searchword".split())
"""Query keys of a site's own search."""
